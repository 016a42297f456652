DROP TABLE ships;
DROP TYPE rank;
