{{ config(materialized='table', indexes=[{'columns': ['port_id'], 'unique': true}, {'columns': ['cargo', 'port']}]) }}
select port_id, port, count(*) as calls, sum(cargo) as cargo, max(day) as last_day
from {{ ref('calls_by_port') }}
group by 1, 2
