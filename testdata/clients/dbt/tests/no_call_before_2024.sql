select * from {{ ref('calls_by_port') }} where day < '2024-01-01'
