-- Requests that someone tried out, which no figure counts; and the recipe that a context was made by.
ALTER TABLE requests ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN recipe TEXT NOT NULL DEFAULT '';
