{{ config(materialized='ephemeral') }}
select port_id from {{ ref('calls_by_port') }} group by port_id having count(*) > 1
