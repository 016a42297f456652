{{ config(materialized='incremental', unique_key=['ship', 'day'], on_schema_change='append_new_columns', indexes=[{'columns': ['day']}]) }}
select ship, day, sum(cargo) as cargo, count(distinct port_id) as ports
{%- if var('wide', false) %}, min(port) as first_port{% endif %}
from {{ ref('calls_by_port') }}
{% if is_incremental() -%}
where day >= (select coalesce(max(day), '1900-01-01'::date) from {{ this }})
{% endif -%}
group by ship, day
