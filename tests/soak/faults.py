"""The rows of faults (R)."""

from __future__ import annotations

from soak.row import Row, numbered

_EVERYTHING = (
    *("benchmarks", "bots", "context", "embedders", "faces", "house", "layers", "poisoning", "search", "stories"),
    *("text", "writers"),
)
_PLATFORMS = (
    "faces/discord/test_a_guild.py",
    "bots/test_capture.py",
    "stories/test_a_month.py",
    "faces/slack/test_slack_month.py",
)
_FAULTS = "layers/test_model_faults.py"
_DISK = "storage/test_disk_faults.py"
_HOSTILE = "faces/test_http_hostile.py"
_MCP = "faces/test_mcp.py"

FAULTS = (
    Row(
        "R1",
        "kill -9 of a writing process",
        ("faults/test_kill.py",),
        "24 kills on SQLite, 8 on Postgres",
        "20,000 and 2,000 kills",
        pieces=numbered(10),
    ),
    Row(
        "R2",
        "kill -9 of the server, 8 clients repeat",
        ("faults/test_server_kills.py",),
        "6 and 3 kills",
        "1,000 and 60 kills",
        pieces=numbered(4),
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
        "each point once, most on one database",
        "the first 20 times each point of adding and deriving is reached, those of erasing, profiles, remembering, the index, "
        "archives and retention once or twice; on both databases",
        pieces=numbered(10),
    ),
    Row(
        "R5",
        "30 % of the model's calls fail",
        (f"{_FAULTS}::test_everything_is_derived_once_although_a_third_of_the_calls_fail",),
        "100 messages",
        "10,000 messages",
        pieces=numbered(5),
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
        "50 messages",
        "5,000 messages",
    ),
    Row(
        "R8",
        "messages that always fail",
        (f"{_FAULTS}::test_poison_is_parked_with_its_reason_and_delays_nothing_else",),
        "2 of 200 messages",
        "10 of 1,000 messages",
    ),
    Row(
        "R9",
        "every message three times, shuffled, at once",
        ("log/test_append.py::test_every_message_sent_three_times_concurrently_and_shuffled_is_stored_once",),
        "60 messages",
        "10,000 messages",
    ),
    Row(
        "R10",
        "an import twice, and killed in between",
        ("importers/test_broken_off.py", "importers/test_loading.py", "layers/test_backfill.py"),
        "1,000 messages, 5 kills, 3 formats",
        "20,000 messages and 20 kills, 2,000,000 messages in bounded memory; each of 7 formats",
        pieces=("chatgpt", "claude", "discord", "jsonl", "slack", "telegram", "whatsapp"),
    ),
    Row(
        "R11",
        "many writers over HTTP, and readers",
        ("faults/test_server_load.py",),
        "8 writers, 3 s",
        "64 writers, 5 min on each database",
    ),
    Row(
        "R12",
        "a full disk",
        (
            f"{_DISK}::test_a_full_disk_is_named_reading_goes_on_and_writing_too_once_there_is_space",
            f"{_DISK}::test_a_full_disk_fails_every_unit_of_the_group_and_stores_none_of_them",
            f"{_DISK}::test_a_full_disk_is_507_over_http_and_201_once_there_is_space",
            f"{_DISK}::test_a_process_that_may_not_let_its_files_grow_loses_nothing_and_recovers",
        ),
        "full once",
        "full 100 times",
    ),
    Row(
        "R13",
        "the n-th write or fsync fails",
        (
            f"{_DISK}::test_a_write_or_fsync_that_fails_loses_nothing_that_was_acknowledged",
            f"{_DISK}::test_the_sites_of_the_sweep_lie_inside_the_work",
        ),
        "40 sites",
        "500 sites",
    ),
    Row(
        "R14",
        "a worker that wakes up after its lease",
        ("faults/test_zombies.py", "jobs/test_workers.py::test_a_stalled_worker_that_wakes_up_late_changes_nothing"),
        "2 jobs",
        "1,000 jobs",
    ),
    Row(
        "R15",
        "clocks that jump, times at the edge",
        (
            "jobs/test_workers.py::test_a_silent_worker_keeps_its_job_for_the_lease_by_a_clock_that_can_not_jump",
            "jobs/test_workers.py::test_an_idle_worker_sleeps_until_the_pace_is_free_whatever_the_clock_says",
            "layers/test_clock_jumps.py",
            "layers/test_nightly.py::test_the_night_falls_where_the_people_are",
            "layers/test_days.py::test_a_day_begins_at_midnight_where_the_settings_say",
            f"{_HOSTILE}::test_s15_a_time_is_kept_exactly_or_refused",
        ),
        "each jump, 5 drawn ones",
        "each jump, 200 drawn ones",
    ),
    Row(
        "R16",
        "Postgres connections and processes end",
        ("faults/test_postgres_faults.py",),
        "2.5 s each",
        "30 min each, a killed process every 5 to 40 s",
        pieces=numbered(5),
    ),
    Row(
        "R17",
        "a backup while messages are added",
        ("storage/test_backups.py::test_what_is_said_while_backups_run_is_in_each_up_to_one_moment",),
        "1 on each database",
        "50 on each database",
    ),
    Row(
        "R18",
        "a kill inside a migration",
        ("storage/test_migrations.py",),
        "3 moments, 4 processes",
        "300 moments, 12 processes",
    ),
    Row(
        "R19",
        "flipped bytes in the file",
        ("storage/test_damage.py", "storage/test_checksums.py"),
        "40 pages, 60 bits of messages, 60 bytes anywhere",
        "200 pages, 2,000 bits of messages, 2,000 bytes anywhere",
    ),
    Row(
        "R20",
        "an event stream that is resumed",
        (
            "events/test_feed.py::test_reconnecting_anywhere_misses_and_repeats_nothing",
            "faces/test_events.py::test_reconnecting_with_the_last_id_misses_and_repeats_nothing",
        ),
        "about 25 and 10 reconnections",
        "about 1,000 each",
    ),
    Row(
        "R21",
        "a month of a Discord server, a Slack workspace and a community",
        _PLATFORMS,
        "12 reconnections",
        "100 reconnections, 20 months of Slack, on both databases",
        pieces=(*_PLATFORMS[:3], *(f"{_PLATFORMS[3]}#{number}" for number in range(1, 6))),
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
        "6 sequences on each database",
        "10,000 sequences on each database",
        pieces=numbered(20),
    ),
    Row(
        "R25",
        "everything on both databases",
        _EVERYTHING,
        "tests above the queries use one of the two, by turns; long ones are left out",
        "every test on both",
        (("ERSTWHILE_SOAK", ""),),  # each at the size of `make test`
        pieces=_EVERYTHING,
    ),
)
