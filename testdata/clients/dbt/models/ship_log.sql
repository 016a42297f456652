{{ config(materialized='incremental', incremental_strategy='append') }}
select id, ship, day from {{ ref('calls_by_port') }}
{% if is_incremental() %}where id > (select max(id) from {{ this }}){% endif %}
