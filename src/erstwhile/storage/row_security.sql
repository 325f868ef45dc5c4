-- Enable row-level security on every table that has a space, for the tables' owner too. Run after
-- the migrations, in their transaction, so that new tables are covered. Changes only what is
-- missing.
DO $security$
DECLARE
    schema_oid CONSTANT oid := quote_ident(current_schema())::regnamespace;
    owner   CONSTANT oid := (SELECT relowner FROM pg_class WHERE oid = to_regclass('migrations'));
    own     CONSTANT text := $$space = nullif(current_setting('erstwhile.space', true), '')$$;
    all_of  CONSTANT text := $$current_setting('erstwhile.everywhere', true) = 'on'$$;
    -- What work across spaces may do with each table: only what its queries need.
    -- Of settings it sees which spaces have a model.
    everywhere CONSTANT jsonb := '{
        "jobs": ["ALL"], "paces": ["ALL"], "spaces": ["ALL"], "keys": ["ALL"], "sessions": ["ALL"],
        "unembedded": ["SELECT"], "buffers": ["SELECT"], "space_settings": ["SELECT"],
        "requests": ["SELECT", "DELETE"], "feedback": ["SELECT", "DELETE"], "usage": ["SELECT", "DELETE"],
        "events": ["ALL"], "allowances": ["SELECT", "DELETE"], "erasures": ["SELECT"]
    }';
    app     boolean;
    each    record;
    command text;
BEGIN
    -- Roles belong to the whole server, and another database may be creating this one right now.
    FOR try IN 1..5 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'erstwhile_app') THEN
                CREATE ROLE erstwhile_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
            END IF;
            IF NOT pg_has_role(session_user, 'erstwhile_app',
                               CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
                EXECUTE format('GRANT erstwhile_app TO %I', session_user);
            END IF;
            EXIT;
        EXCEPTION
            WHEN insufficient_privilege THEN
                EXIT; -- then the owner works without it, under the same policies
            -- "tuple concurrently updated" is an internal error
            WHEN duplicate_object OR unique_violation OR internal_error THEN
                IF try = 5 THEN
                    RAISE;
                END IF;
        END;
    END LOOP;
    app := EXISTS (SELECT FROM pg_roles WHERE rolname = 'erstwhile_app');
    IF app THEN
        GRANT SELECT ON migrations TO erstwhile_app;
        IF NOT has_schema_privilege('erstwhile_app', schema_oid, 'USAGE') THEN
            BEGIN
                EXECUTE format('GRANT USAGE ON SCHEMA %s TO erstwhile_app',
                    schema_oid::regnamespace);
            EXCEPTION WHEN insufficient_privilege THEN
                NULL; -- as above
            END;
        END IF;
        FOR each IN SELECT c.oid::regclass AS name FROM pg_class c
            WHERE relnamespace = schema_oid AND relowner = owner AND relkind = 'S' LOOP
            EXECUTE format('GRANT USAGE ON SEQUENCE %s TO erstwhile_app', each.name);
        END LOOP;
    END IF;

    FOR each IN
        SELECT c.oid, c.oid::regclass AS name, c.relname, c.relispartition, c.relrowsecurity
            AND c.relforcerowsecurity AS raised
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space'
            AND NOT a.attisdropped
        WHERE c.relnamespace = schema_oid AND c.relowner = owner AND c.relkind IN ('r', 'p')
            ORDER BY c.relname
    LOOP
        IF app AND NOT each.relispartition THEN -- a partition is accessed through its table only
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO erstwhile_app',
                each.name);
        END IF;
        IF NOT each.raised THEN
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
                each.name);
        END IF;
        IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = each.oid
            AND polname = 'own_space') THEN
            EXECUTE format('CREATE POLICY own_space ON %s USING (%s) WITH CHECK (%s)', each.name,
                own, own);
        END IF;
        FOR command IN SELECT jsonb_array_elements_text(everywhere -> each.relname::text) LOOP
            IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = each.oid
                AND polname = 'everywhere_' || lower(command)) THEN
                EXECUTE format(
                    'CREATE POLICY %I ON %s FOR %s USING (%s)', 'everywhere_' || lower(command),
                        each.name, command,
                    all_of || CASE each.relname WHEN 'space_settings' THEN $$
                        AND name = 'model'$$ ELSE '' END
                );
            END IF;
        END LOOP;
    END LOOP;
END
$security$;
