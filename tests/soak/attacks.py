"""The rows of attacks (S)."""

from __future__ import annotations

from soak.row import Row

_LONG = "layers/test_long_messages.py"
_SLOW = (
    "text/test_long_runs.py",
    "text/test_linear_patterns.py",
    f"{_LONG}::test_a_long_message_goes_through_every_layer_in_linear_time",
    f"{_LONG}::test_a_long_message_is_imported_in_linear_time",
    "faces/test_request_costs.py",
    "faces/test_a_megabyte.py",
    "faces/test_heartbeat.py",
)
_FAULTS = "layers/test_model_faults.py"
_HOSTILE = "faces/test_http_hostile.py"
_GUARD = "faces/test_guard.py"
_MCP = "faces/test_mcp.py"
_POISON = "poisoning/test_poisoning.py"

ATTACKS = (
    Row("S1", "an assistant or a tool says what the owner prefers", (_POISON, "layers/test_flagged.py")),
    Row("S2", "bridging over 20 turns", (_POISON,)),
    Row("S3", "a payload in imported text, recalled after 100 sessions", (_POISON, "layers/test_trust.py")),
    Row("S4", "links that fill in a request to remember", (_POISON,)),
    Row("S5", "facts about somebody else", (_POISON, "layers/test_whose_word.py")),
    Row("S6", "names, roles and markup in text", (_POISON, "context/test_context_properties.py")),
    Row(
        "S7",
        "invisible, combining and broken characters",
        ("log/test_lossless.py", "log/test_bad_input.py", "faces/dashboard/test_directions.py"),
    ),
    Row(
        "S8",
        "questions of one tenant about another",
        ("search/test_isolation.py", "search/test_twin_spaces.py"),
        "100 questions per space",
        "10,000 questions per space",
    ),
    Row(
        "S9",
        "a request that names another space than its key",
        (
            f"{_HOSTILE}::test_s9_a_key_opens_its_own_space_and_no_other",
            f"{_HOSTILE}::test_s9_what_a_body_says_of_spaces_is_refused_or_means_nothing",
            f"{_HOSTILE}::test_s9_a_reading_key_writes_nothing",
        ),
    ),
    Row("S10", "row-level security of Postgres", ("storage/test_walls.py",)),
    Row(
        "S11",
        "filters that are code, any input to any route",
        (f"{_HOSTILE}::test_s11_a_filter_is_text", "faces/test_http_schema.py"),
        "2 inputs to each route",
        "200 inputs to each route, on each database",
        pieces=("sqlite", "postgres"),
    ),
    Row(
        "S12",
        "too large, too deep, packed",
        (
            f"{_HOSTILE}::test_s12_a_body_that_is_too_much_or_no_json",
            f"{_HOSTILE}::test_s12_more_messages_than_a_request_may_have",
            f"{_GUARD}::test_packed_bodies_are_not_taken",
            "importers/test_import_sources.py",
        ),
    ),
    Row(
        "S13",
        "texts that make patterns slow",
        _SLOW,
        "16 kB, requests of 48 to 128 kB; of the layers and importers some units each",
        "1 MB",
        pieces=_SLOW,
    ),
    Row(
        "S14",
        "ids with slashes, dots and SQL",
        (
            f"{_HOSTILE}::test_s14_an_id_is_whatever_it_is",
            f"{_HOSTILE}::test_s14_what_can_be_no_id_is_refused",
            "faces/test_paths.py",
        ),
    ),
    Row("S15", "times from the year 1 to 9999", (f"{_HOSTILE}::test_s15_a_time_is_kept_exactly_or_refused",)),
    Row("S16", "wrong, ended and revoked keys", ("faces/test_keys.py",)),
    Row(
        "S17",
        "guessing keys",
        (
            "faces/test_keys.py::test_wrong_keys_are_throttled_and_right_ones_are_not",
            "faces/test_keys.py::test_the_throttle_remembers_so_many_and_no_more",
        ),
    ),
    Row(
        "S18",
        "a page of another origin writes",
        (f"{_GUARD}::test_a_page_of_another_origin_writes_nothing", f"{_GUARD}::test_a_form_is_no_message"),
    ),
    Row(
        "S19",
        "DNS rebinding",
        (f"{_GUARD}::test_no_route_answers_to_a_strange_name", f"{_GUARD}::test_of_two_names_neither_counts"),
    ),
    Row("S20", "scripts in text, names and files", ("faces/dashboard/test_every_page.py",)),
    Row(
        "S21",
        "frames, redirects, caches, paths",
        ("faces/dashboard/test_attacks.py", "faces/dashboard/test_signing_in.py"),
    ),
    Row(
        "S22",
        "addresses inside the network as a model's server",
        (
            f"{_HOSTILE}::test_s22_a_key_of_a_space_cannot_send_the_server_anywhere",
            "faces/test_hostile_upstream.py::test_a_redirect_is_not_handed_on_with_whatever_key_the_client_would_take_there",
        ),
    ),
    Row(
        "S23",
        "keys and words in logs",
        (
            "house/test_logs.py",
            f"{_GUARD}::test_the_log_has_a_line_for_each_request_and_nobodys_words",
            f"{_FAULTS}::test_reasons_and_errors_quote_neither_the_key_nor_what_was_said",
            "faces/test_observe.py::test_what_people_said_is_traced_only_where_it_is_wanted",
        ),
    ),
    Row("S24", "stored keys of models", ("stories/test_bring_your_own_key.py",)),
    Row(
        "S25",
        "a model's answer names what it was not given",
        ("layers/test_whose_word.py", "layers/test_structured.py"),
    ),
    Row("S26", "a near duplicate swallows a true fact", ("layers/test_structured_chain.py", "layers/test_restore.py")),
    Row("S27", "one text that matches everything", ("search/test_taking_turns.py",)),
    Row(
        "S28",
        "scores tell of what is hidden",
        (
            f"{_HOSTILE}::test_s28_scores_and_order_tell_nothing_about_another_space",
            f"{_HOSTILE}::test_s28_a_key_of_a_space_sees_ranks_and_an_admin_key_scores",
            f"{_MCP}::test_no_tool_tells_scores",
            "search/test_twin_spaces.py",
            "search/test_hidden_channels.py",
            "faces/dashboard/test_recall.py::test_a_reading_key_asks_and_marks_nothing",
        ),
    ),
    Row(
        "S29",
        "erasing under load",
        ("layers/erasure/test_erasing.py", "faults/test_erasing_under_load.py"),
        "2,000 messages",
        "60,000 messages on each database",
        pieces=("sqlite", "postgres"),
    ),
    Row("S30", "an export has nothing of others", ("layers/erasure/test_exporting.py",)),
    Row(
        "S31",
        "MCP without a key, of another origin, wrong calls",
        (
            f"{_MCP}::test_who_is_not_let_in",
            f"{_MCP}::test_wrong_calls",
            f"{_MCP}::test_a_key_opens_its_space_and_one_that_reads_sees_no_writing_tools",
        ),
    ),
    Row(
        "S32",
        "a bot tells what was said in private",
        (
            "faces/discord/test_discord_bot.py::test_what_was_said_in_private_is_told_nowhere_else",
            "search/test_private_worlds.py",
        ),
    ),
    Row(
        "S33",
        "a database or backup made to do harm",
        (
            "storage/test_foreign_objects.py",
            "storage/test_backups.py::test_a_backup_made_to_do_harm_is_refused_and_leaves_nothing",
        ),
    ),
    Row(
        "S34",
        "hostile files to import",
        (
            "importers/test_hostile_imports.py",
            "importers/test_bounded.py",
            "importers/test_whatsapp.py::test_a_line_that_only_looks_like_a_message_is_taken_and_reported",
        ),
        "a file 4 times as large",
        "a file 1,200 times as large",
    ),
    Row("S35", "what is installed", ("house/test_wheel.py",)),
)
