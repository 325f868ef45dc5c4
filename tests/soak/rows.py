"""The rows of faults (R) and attacks (S): what is tried, by which tests, at which size in `make test` and in `make soak`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`full` is what `make soak` runs; "" where `make test` runs all of it. `more` are variables of the environment."""

    id: str
    what: str
    tests: tuple[str, ...]
    ci: str = "whole"
    full: str = ""
    more: tuple[tuple[str, str], ...] = ()


_FAULTS = "layers/test_model_faults.py"
_DISK = "storage/test_disk_faults.py"
_HOSTILE = "faces/test_http_hostile.py"
_GUARD = "faces/test_guard.py"
_MCP = "faces/test_mcp.py"
_POISON = "poisoning/test_poisoning.py"

ROWS = (
    Row(
        "R1",
        "kill -9 of a writing process",
        ("faults/test_kill.py",),
        "24 kills on SQLite, 8 on Postgres",
        "2,000 and 200",
    ),
    Row(
        "R2",
        "kill -9 of the server, 8 clients repeat",
        ("faults/test_server_kills.py",),
        "6 and 3 kills",
        "1,000 and 60",
    ),
    Row(
        "R3",
        "power cut under SQLite; with synchronous=NORMAL it must lose",
        (
            f"{_DISK}::test_a_power_cut_loses_nothing_that_was_acknowledged_and_corrupts_nothing",
            f"{_DISK}::test_the_power_cut_harness_can_see_a_loss",
            f"{_DISK}::test_the_power_cut_harness_can_see_corruption",
        ),
        "300 cuts",
        "5,000 cuts",
    ),
    Row(
        "R4",
        "a crash at every named step",
        (
            "faults/test_crash_points.py",
            "faults/test_erasure_crashes.py",
            "faults/test_index_crashes.py",
            "faults/test_profile_crashes.py",
            "faults/test_retention_crashes.py",
            "layers/test_retention_of_people.py",
            "faults/test_told_crashes.py",
            "faults/test_archive_crashes.py",
        ),
        "each point once, on one database",
        "each point twice, on both databases",
    ),
    Row(
        "R5",
        "30 % of the model's calls fail",
        (f"{_FAULTS}::test_everything_is_derived_once_although_a_third_of_the_calls_fail",),
        "100 messages",
        "2,000 messages",
    ),
    Row(
        "R6",
        "60 % of the model's calls fail",
        (f"{_FAULTS}::test_everything_is_derived_once_although_most_calls_fail",),
        "100 messages",
        "2,000 messages",
    ),
    Row(
        "R7",
        "the model is away for hours",
        (
            f"{_FAULTS}::test_in_an_outage_messages_are_taken_as_fast_and_remembered_when_it_ends",
            f"{_FAULTS}::test_a_bad_answer_after_an_outage_does_not_park_the_job",
        ),
    ),
    Row(
        "R8",
        "messages that always fail",
        (f"{_FAULTS}::test_poison_is_parked_with_its_reason_and_delays_nothing_else",),
    ),
    Row(
        "R9",
        "every message three times, shuffled, at once",
        ("log/test_append.py::test_every_message_sent_three_times_concurrently_and_shuffled_is_stored_once",),
    ),
    Row(
        "R10",
        "an import twice, and killed in between",
        ("importers/test_broken_off.py", "importers/test_loading.py", "layers/test_backfill.py"),
        "1,000 messages, 5 kills, 3 formats",
        "20,000 messages, 20 kills, every format",
    ),
    Row(
        "R11",
        "many writers over HTTP, and readers",
        ("faults/test_server_load.py",),
        "8 writers, 3 s",
        "64 writers, 2 min",
    ),
    Row(
        "R12",
        "a full disk",
        (
            f"{_DISK}::test_a_full_disk_is_named_reading_goes_on_and_writing_too_once_there_is_space",
            f"{_DISK}::test_a_full_disk_fails_every_unit_of_the_group_and_stores_none_of_them",
            f"{_DISK}::test_a_process_that_may_not_let_its_files_grow_loses_nothing_and_recovers",
        ),
    ),
    Row(
        "R13",
        "the n-th write or fsync fails",
        (
            f"{_DISK}::test_a_write_or_fsync_that_fails_loses_nothing_that_was_acknowledged",
            f"{_DISK}::test_the_sites_of_the_sweep_lie_inside_the_work",
        ),
        "40 sites",
        "120 sites",
    ),
    Row(
        "R14",
        "a worker that wakes up after its lease",
        ("faults/test_zombies.py", "jobs/test_workers.py::test_a_stalled_worker_that_wakes_up_late_changes_nothing"),
    ),
    Row(
        "R15",
        "clocks that jump, times at the edge",
        (
            "jobs/test_workers.py::test_a_silent_worker_keeps_its_job_for_the_lease_by_a_clock_that_can_not_jump",
            "jobs/test_workers.py::test_an_idle_worker_sleeps_until_the_pace_is_free_whatever_the_clock_says",
            f"{_HOSTILE}::test_s15_a_time_is_kept_exactly_or_refused",
        ),
    ),
    Row(
        "R16", "Postgres connections and processes end", ("faults/test_postgres_faults.py",), "2.5 s each", "1 min each"
    ),
    Row(
        "R17",
        "a backup while messages are added",
        ("storage/test_backups.py::test_what_is_said_while_a_backup_runs_is_in_it_up_to_one_moment",),
    ),
    Row(
        "R18",
        "a kill inside a migration",
        ("storage/test_migrations.py",),
        "3 moments, 4 processes",
        "10 moments, 12 processes",
    ),
    Row(
        "R19",
        "flipped bytes in the file",
        ("storage/test_damage.py", "storage/test_checksums.py"),
        "40 pages, 60 bits",
        "200 pages, 2,000 bits",
    ),
    Row(
        "R20",
        "an event stream that is resumed",
        (
            "events/test_feed.py::test_reconnecting_anywhere_misses_and_repeats_nothing",
            "faces/test_events.py::test_reconnecting_with_the_last_id_misses_and_repeats_nothing",
        ),
    ),
    Row(
        "R21",
        "a month of a Discord server, a Slack workspace and a community",
        (
            "faces/discord/test_a_guild.py",
            "bots/test_capture.py",
            "stories/test_a_month.py",
            "faces/slack/test_slack_month.py",
        ),
        "12 reconnections",
        "100 reconnections",
    ),
    Row(
        "R22",
        "the same MCP call again",
        (
            f"{_MCP}::test_a_call_that_is_repeated_changes_nothing_more",
            f"{_MCP}::test_a_broken_stream_and_the_call_again",
        ),
        "100 calls",
        "1,000 calls",
        (("ERSTWHILE_SOAK_MCP", "1000"),),
    ),
    Row(
        "R23",
        "memory, descriptors and WAL under a day's load",
        ("faults/test_a_days_load.py",),
        "400 messages",
        "20,000 messages",
    ),
    Row(
        "R24",
        "any sequence of edits against a model",
        ("layers/erasure/test_any_edits.py", "index/test_in_step.py"),
        "6 sequences",
        "150 sequences",
    ),
    Row(
        "R25",
        "everything on both databases",
        (
            *(
                "benchmarks",
                "bots",
                "context",
                "embedders",
                "faces",
                "house",
                "layers",
                "poisoning",
                "search",
                "stories",
            ),
            *("text", "writers"),
        ),
        "tests above the queries use one of the two, by turns; long ones are left out",
        "every test on both",
        (("ERSTWHILE_SOAK", ""),),  # each at the size of `make test`
    ),
    Row("S1", "an assistant or a tool says what the owner prefers", (_POISON, "layers/test_flagged.py")),
    Row("S2", "bridging over 20 turns", (_POISON,)),
    Row("S3", "a payload in imported text, recalled after 100 sessions", (_POISON, "layers/test_trust.py")),
    Row("S4", "links that fill in a request to remember", (_POISON,)),
    Row("S5", "facts about somebody else", (_POISON, "layers/test_whose_word.py")),
    Row("S6", "names, roles and markup in text", (_POISON, "context/test_context_properties.py")),
    Row("S7", "invisible, combining and broken characters", ("log/test_lossless.py", "log/test_bad_input.py")),
    Row(
        "S8",
        "questions of one tenant about another",
        ("search/test_isolation.py", "search/test_twin_spaces.py"),
        "400 questions per space",
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
        "200 inputs to each route",
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
        ("text/test_long_runs.py", "text/test_linear_patterns.py", "faces/test_request_costs.py"),
        "16 kB, requests of 128 kB",
        "1 MB",
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
            "search/test_twin_spaces.py",
            "search/test_hidden_channels.py",
        ),
    ),
    Row(
        "S29",
        "erasing under load",
        ("layers/erasure/test_erasing.py", "faults/test_erasing_under_load.py"),
        "2,000 messages",
        "60,000 messages",
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
