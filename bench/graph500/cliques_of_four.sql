-- Cliques i < j < k < l.
-- data: rmat
SELECT count(*)
FROM edge ij
  JOIN edge ik ON ij.src = ik.src
  JOIN edge il ON ij.src = il.src
  JOIN edge jk ON ij.dst = jk.src AND ik.dst = jk.dst
  JOIN edge jl ON ij.dst = jl.src AND il.dst = jl.dst
  JOIN edge kl ON ik.dst = kl.src AND il.dst = kl.dst
WHERE ij.src < ij.dst AND jk.src < jk.dst AND kl.src < kl.dst
