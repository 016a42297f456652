{{ config(materialized='incremental', incremental_strategy='merge', unique_key='ship') }}
select ship, sum(cargo) as cargo from {{ ref('calls_by_port') }} group by ship
