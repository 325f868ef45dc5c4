-- Of those who are blocked: whether they chose it themselves, and may take it back.
ALTER TABLE people ADD COLUMN opted_out INTEGER NOT NULL DEFAULT 0;
