"""Row-level security between spaces, on Postgres: a query that lacks its condition on `space`
returns nothing.

Each transaction sets its space and runs as `erstwhile_app`, a role that owns nothing. Where that
role can't be created, the tables' owner is restricted in the same way. A superuser without the role
is not restricted, which `erstwhile doctor` reports.
"""

from __future__ import annotations

from typing import LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from erstwhile.base.files import folder
from erstwhile.storage import EVERYWHERE
from erstwhile.storage.exchange import Exchange

ROLE = "erstwhile_app"

_CREATE: LiteralString = (
    folder(__package__).joinpath("row_security.sql").read_text(encoding="utf-8")
)

# Run before migrations, which work on the rows of all spaces. The policies are created again
# afterwards. If a policy still hides rows from a migration, it fails instead of skipping them.
_REMOVE = """
SET LOCAL row_security = off;
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relforcerowsecurity
            AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('migrations'))
    LOOP
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', each.name);
    END LOOP;
    FOR each IN SELECT p.polname AS policy, p.polrelid::regclass AS name FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
        WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND (polname = 'own_space' OR polname LIKE 'everywhere\\_%')
    LOOP
        EXECUTE format('DROP POLICY %I ON %s', each.policy, each.name);
    END LOOP;
END
$$
"""

# Whether this connection may become the role, and the role may use the tables.
_USABLE = """
SELECT count(*) AS usable FROM pg_roles r
WHERE r.rolname = 'erstwhile_app' AND NOT r.rolsuper AND NOT r.rolbypassrls
    AND pg_has_role(session_user, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
    AND has_schema_privilege(r.oid, quote_ident(current_schema())::regnamespace, 'USAGE')
    AND has_table_privilege(r.oid, to_regclass('messages'), 'INSERT')
"""

_FREE = "SELECT count(*) AS free FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)"

_OPEN = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space' AND NOT a.attisdropped
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p')
    AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('migrations'))
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname
"""

# Triggers and rules on our tables run with our statements; a policy of somebody else may show rows of other spaces.
_FOREIGN = """
WITH ours AS (
    SELECT c.oid, c.relname FROM pg_class c WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
        AND c.relkind IN ('r', 'p') AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('migrations')))
SELECT 'trigger ' || t.tgname || ' on ' || o.relname AS name FROM pg_trigger t JOIN ours o ON o.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL SELECT 'rule ' || r.rulename || ' on ' || o.relname FROM pg_rewrite r JOIN ours o ON o.oid = r.ev_class
UNION ALL SELECT 'policy ' || p.polname || ' on ' || o.relname FROM pg_policy p JOIN ours o ON o.oid = p.polrelid
    WHERE p.polname <> 'own_space' AND p.polname NOT LIKE 'everywhere\\_%'
ORDER BY 1
"""

_SET = "SELECT set_config('erstwhile.space', %(space)s, true), set_config('erstwhile.everywhere', %(everywhere)s, true)"
_SET_AS_ROLE = f"{_SET}, set_config('role', 'erstwhile_app', true)"


async def remove_policies(connection: AsyncConnection[DictRow]) -> None:
    await connection.execute(_REMOVE)


async def create_policies(connection: AsyncConnection[DictRow]) -> None:
    await connection.execute(_CREATE)


async def has_role(connection: AsyncConnection[DictRow]) -> bool:
    row = await (await connection.execute(_USABLE)).fetchone()
    return bool(row and row["usable"])


def begin(exchange: Exchange, space: str, *, as_role: bool, read: bool) -> None:
    """Begin a transaction and set its space. The settings end with it."""
    exchange.queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if read else "BEGIN", {})
    everywhere = "on" if space == EVERYWHERE else ""
    exchange.queue(_SET_AS_ROLE if as_role else _SET, {"space": space, "everywhere": everywhere})


async def gaps(connection: AsyncConnection[DictRow], *, as_role: bool) -> list[str]:
    """Return where row-level security is missing."""
    standing_open = [row["relname"] for row in await (await connection.execute(_OPEN)).fetchall()]
    found = []
    if standing_open:
        found.append(f"there is no row-level security on {', '.join(standing_open)}")
    row = await (await connection.execute(_FREE)).fetchone()
    if not as_role and row and row["free"]:
        found.append(f"this user bypasses row-level security and can't use the role {ROLE}")
    return found


async def foreign_objects(connection: AsyncConnection[DictRow]) -> list[str]:
    """Return triggers, rules and policies on our tables that we did not create."""
    return [row["name"] for row in await (await connection.execute(_FOREIGN)).fetchall()]
