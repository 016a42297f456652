{{ config(materialized='table') }}
select p.id, p.name, p.depth from {{ ref('ports') }} p where p.id in (select port_id from {{ ref('busy') }})
