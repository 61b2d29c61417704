-- Which versions of the program have opened the database, and when. A program that is too old for
-- the schema reads it to say which one it takes: name and version stay as they are for good.
CREATE TABLE programs (
    version  TEXT    NOT NULL PRIMARY KEY,
    first_ms INTEGER NOT NULL,
    last_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
