-- A view over seeds: a join, with columns of both.
select c.id, c.ship, c.day, c.cargo, p.id as port_id, p.name as port
from {{ ref('calls') }} c
join {{ ref('ports') }} p on p.id = c.port
