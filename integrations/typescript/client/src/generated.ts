// Written by integrations/typescript/generate.py from the OpenAPI document. Do not edit.

import { type Call, type Options, type ServerEvent, Transport } from "./transport.js";

/**
 * What is known about a person: what was `told`, what they did `today` and in the six days
 * before (`history`), all three as one `text`, their `profile`: facts by section, each with its
 * source note, and the `facts` on file that none of these says: what holds first, newest first.
 * `standing`: what they want from every answer, those that hold first.
 */
export interface About {
  person: string;
  name: string;
  told?: string;
  today?: string;
  history?: string;
  text?: string;
  profile?: Record<string, Array<ProfileStatement>>;
  facts?: Array<StatedFact>;
  standing?: Array<StandingRequest>;
}

export interface AdminKeyBody {
  /** The key's name. Changes made with it are recorded under this name. */
  name?: string;
  /** A read-only key can read and ask, but change nothing. */
  read_only?: boolean;
  /** A duration such as 30d or 12h, or a time such as 2027-01-01T00:00:00Z. */
  expires?: string | null;
  /** The key's space. Without one, an admin key is created. */
  space?: string | null;
}

export interface ArchiveOriginsAnswer {
  origins: Array<Origin>;
  next?: string | null;
  total?: number | null;
}

export interface ArchiveReceiptsAnswer {
  receipts: Array<ErasureRecord>;
  next?: string | null;
  total?: number | null;
}

/**
 * Who may see a channel: `everyone` in the space, or its `people` (ids with names, the first of
 * `count`). `privacy` is what was set. `since`: from which message on everyone sees it.
 */
export interface Audience {
  channel: string;
  privacy: string | null;
  everyone: boolean;
  since: number;
  count: number;
  people: Record<string, string>;
}

/**
 * `words` are those that were searched, as the index has them, `names` the names of the people. The others are
 * facets, the most frequent first (`months` the latest first): each counts what would be found without a filter on it.
 */
export interface BrowseCounts {
  words?: Array<string>;
  names?: Record<string, string>;
  kinds?: Array<Facet>;
  channels?: Array<Facet>;
  people?: Array<Facet>;
  writers?: Array<Facet>;
  months?: Array<Facet>;
}

/** Messages of a channel that are in no note yet. `messages`: how many are by people. */
export interface Buffer {
  channel: string;
  first_seq: number;
  last_seq: number;
  messages: number;
  started_at: string;
  updated_at: string;
  closed: boolean;
}

export interface Candidate {
  id: string;
  kind: string;
  channel: string | null;
  seq: number | null;
  at: number;
  score: number;
  parts: Record<string, number>;
  fate: string;
  hop?: string;
}

/** `before` was valid until `at`, `after` since then. */
export interface Change {
  before: StructuredMemory;
  after: StructuredMemory;
  at: string;
}

/** The rolling summary of a channel, covering messages up to `through_seq`. */
export interface ChannelBrief {
  id: string;
  text: string;
  through_seq: number;
  tokens: number;
  writer: string;
  draft: boolean;
  updated_at: string;
}

export interface ChannelCommandBody {
  /** What was said. */
  text: string;
  /** A person's id. */
  person?: string | null;
  /** The name they go by. */
  name?: string | null;
}

export interface ChannelEditAnswer {
  message: Message | null;
}

export interface ChannelEditBody {
  /** An empty text deletes the message. */
  text: string;
}

/**
 * A channel. `size` is the number of messages it has had, `privacy` what was set, `last_at` the
 * time of its newest stored message, `made` its memory counts if requested, `title` its display
 * name if known. `preview`: who is in it and what was said last, if requested.
 */
export interface ChannelEntry {
  channel: string;
  size: number;
  privacy: string | null;
  last_at: string | null;
  made?: MemoryCounts | null;
  title?: string;
  preview?: ChannelPreview | null;
}

export interface ChannelKnownBody {
  /** Keys of messages. */
  keys: Array<string>;
}

export interface ChannelNotes {
  notes: Array<Note>;
  next?: string | null;
}

/**
 * The names of the first `people` of a channel, how `many` there are, and its last message: who
 * wrote it (`by`) and how its `text` begins.
 */
export interface ChannelPreview {
  people?: Array<string>;
  many?: number;
  by?: string;
  text?: string;
}

export interface ChannelSizeAnswer {
  size: number;
}

export interface ChannelsBriefAnswer {
  brief: ChannelBrief | null;
}

export interface ChannelsListAnswer {
  channels: Array<ChannelEntry>;
  next?: string | null;
  total?: number | null;
}

export interface ChannelsListenBody {
  on?: boolean;
  /** From this time on; empty: from the channel's beginning. */
  since?: string;
  /** Who chose it. */
  by?: string;
  /** What people call the channel. */
  title?: string | null;
}

export interface ChannelsListeningAnswer {
  listening: Array<ListenedChannel>;
}

export interface ChannelsMarkCheckedBody {
  /** The key of a message, or empty. */
  key: string;
}

export interface ChannelsMarkReadBody {
  /** The key of a message, or empty. */
  key: string;
}

export interface ChannelsSetPrivacyBody {
  /** Who may see the channel's content. */
  privacy: "open" | "private" | "direct";
  /** Who else is in it. */
  people?: Array<string>;
  /** What people call the channel. */
  title?: string | null;
}

export interface ChannelsSummariesAnswer {
  summaries: Array<Summary>;
  next?: string | null;
  total?: number | null;
}

export interface ChannelsVisibilityAnswer {
  visibility: Array<Audience>;
  next?: string | null;
  total?: number | null;
}

/**
 * What a message asked for and what was done. `intent` is remember, forget, about or talk
 * (nothing was done). `person` is whom it is about, None if that is unclear; then `text` says what
 * to do.
 */
export interface CommandReply {
  intent: string;
  person?: string | null;
  fact?: string;
  found?: boolean;
  text?: string;
}

/** Parameters of a context, in a body. */
export interface ContextBody {
  /** The question. Without one, the context has standing memories only. */
  query?: string;
  /** Who asks. */
  person?: string | null;
  /** Tokens, at least 100. */
  budget?: number | null;
  /** The recipe; by default the space's. */
  recipe?: "dual" | "brief" | "recall" | "person" | "community" | "full" | null;
  /** `person` also searches the person's other channels; by default only if there is too little here. */
  scope?: "channel" | "person" | null;
  /** Only content of these channels (repeat for each), of the channel asked in, and what is visible to everyone. */
  within?: Array<string> | null;
  /** Leave out what is less likely to bear on the question. */
  floor?: number | null;
  /** Leave out what is less trusted than this tier. */
  trust?: "unknown" | "third_party" | "tool" | "assistant" | "user" | "self" | null;
  /** A model first splits the question into at most three, which are searched too. */
  decompose?: boolean;
  /** Include the lines of each part with their sources. */
  items?: boolean;
  /** A trial is not counted in reports. */
  trial?: boolean;
}

/**
 * A part of a context. `glue` separates it from the part before. `items` are its lines with
 * their sources, if requested; `body` is its text if that is more than a heading and lines.
 */
export interface ContextPartResponse {
  name: string;
  heading: string;
  text: string;
  tokens: number;
  glue: string;
  body?: string;
  items?: Array<Item> | null;
}

/**
 * A context. Use `text` in a prompt of your own, or `messages` for a chat model. /requests/{id}
 * explains `request`.
 */
export interface ContextResponse {
  text: string;
  tokens: number;
  request: string;
  messages: Array<Record<string, string>>;
  parts: Array<ContextPartResponse>;
  sources: Array<ContextSource>;
  relevant: boolean;
  relevance: number | null;
  withheld: number;
}

/** `messages`: those it was made from; of more than 100 the newest. `memories.sources` has all. */
export interface ContextSource {
  id: string;
  kind: string;
  messages: Array<string>;
}

/**
 * A prompt. `whose` says who set it, `placeholders` are those it may use, `default` is the
 * built-in prompt, `people` have a prompt of their own.
 */
export interface CurrentPrompt {
  name: string;
  instructions: string;
  whose: "default" | "space" | "person";
  placeholders?: Array<string>;
  default?: string;
  people?: Array<string>;
}

/**
 * Counts of one day, or of the days from it on that `SpaceCounts.step` has. A memory belongs to the day it
 * is about; kinds without any are left out.
 */
export interface DayCounts {
  day: string;
  messages: number;
  memories: Record<string, number>;
}

/** How many messages existed. */
export interface DeleteResult {
  deleted: number;
}

/**
 * An erasure on record, which names nobody. `kind`: person, channel, …; `subject`: its name,
 * hashed with the space's secret; `by`: who did it; `digest`: that of the receipt.
 */
export interface ErasureRecord {
  id: string;
  at: string;
  kind: string;
  subject: string;
  counts: Record<string, number>;
  checked: boolean;
  digest: string;
  by: string;
}

/**
 * How many memories of each kind expired; `other` has kinds of further layers. A memory counts
 * when its text expires, even if its title stays for memories that rest on it.
 */
export interface ExpiryReport {
  message?: number;
  day?: number;
  note?: number;
  topic?: number;
  told?: number;
  profile?: number;
  other?: Record<string, number>;
}

/**
 * A candidate as it was then, with its current `text`, or None if it no longer exists,
 * and its trust tier.
 */
export interface ExplainedCandidate {
  rank: number;
  candidate: Candidate;
  text: string | null;
  trust?: string;
}

export interface Explanation {
  request: Request;
  seen: Array<ExplainedCandidate>;
}

/** A value, and how many results have it. */
export interface Facet {
  value: string;
  count: number;
}

/**
 * A fact. `links`: facts of other channels that say the same about the same person. A fact that
 * a person added has an empty range (`last_seq` before `first_seq`), at the end of the channel at
 * that time.
 */
export interface Fact {
  id: string;
  channel: string;
  first_seq: number;
  last_seq: number;
  seq: number | null;
  person: string | null;
  text: string;
  writer: string;
  draft: boolean;
  at: string;
  category: string;
  importance: number;
  edited_by: string | null;
  links?: Array<string>;
}

export interface FactsAddBody {
  /** The text. */
  text: string;
  /** Who makes the change. */
  by?: string | null;
  /** A person's id. */
  person?: string | null;
  /** Whose words it is, as a trust tier. */
  trust?: "unknown" | "third_party" | "tool" | "assistant" | "user";
}

export interface FactsChangesAnswer {
  changes: Array<Change>;
  next?: string | null;
  total?: number | null;
}

export interface FactsListAnswer {
  facts: Array<Fact>;
  next?: string | null;
  total?: number | null;
}

export interface FactsStructuredAnswer {
  structured: Array<StructuredMemory>;
  next?: string | null;
  total?: number | null;
}

/** One finding. `advice` says what to do, if anything. */
export interface Finding {
  level: "ok" | "note" | "problem";
  what: string;
  advice?: string;
}

/**
 * `channel` and `seq` are those of the message it rests on, `speaker` said it; `person` is whom it is about. A
 * contradiction names the later memory in `other`. `reviewed_by` reviewed it as it is now.
 */
export interface FlaggedMemory {
  id: string;
  kind: string;
  text: string;
  reasons: Array<string>;
  at: string;
  channel: string;
  seq: number | null;
  speaker: string | null;
  person: string | null;
  writer: string | null;
  other?: string | null;
  other_text?: string | null;
  decision?: string | null;
  reviewed_by?: string | null;
  reviewed_at?: string | null;
}

/**
 * What `forget` did. `removed`: the sentences that are gone; `text`: what is still remembered.
 * `unsure`: those that may have been meant, if none was found: say which.
 */
export interface ForgetResult {
  found: boolean;
  person: string;
  text: string;
  removed: string;
  draft: boolean;
  unsure?: Array<string>;
}

/**
 * `sources` are its direct sources: the messages of a fact or chunk, the summaries of a meta, the notes of a topic or
 * profile fact. A message is its own source. The channel "" stands for the whole space. `trust` is its tier. `title`: what its
 * channel is called, "" if it has no title.
 */
export interface Hit {
  id: string;
  kind: string;
  text: string;
  channel: string;
  person: string | null;
  seq: number | null;
  at: string;
  score: number;
  sources: Array<string>;
  trust?: string;
  title?: string;
}

export interface IdsResolveAnswer {
  ids: Array<string>;
}

/**
 * One line of a context, from the messages `first` to `last` of its channel or from `sources`. Lines are shown in
 * the order of `at`, then of their messages. A `draft` was written without a model. `day`: the one that the
 * line begins with, "" if it doesn't. `ranges`: where its messages are, if they are not one range of a channel.
 */
export interface Item {
  id: string;
  kind: string;
  text: string;
  first: number;
  last: number;
  said?: Message | null;
  channel?: string;
  at?: number;
  sources?: Array<string>;
  draft?: boolean;
  day?: string;
  ranges?: Array<Array<unknown>>;
}

export interface JobsListAnswer {
  jobs: Array<ListedJob>;
  next?: string | null;
  total?: number | null;
}

export interface JobsListEverywhereAnswer {
  jobs: Array<ListedJob>;
  next?: string | null;
  total?: number | null;
}

export interface JobsParkBody {
  /** Why. */
  reason?: string;
}

export interface JobsParkEverywhereBody {
  /** Why. */
  reason?: string;
}

export interface JobsQueueAnswer {
  queue: Array<QueueCount>;
}

export interface JobsQueueEverywhereAnswer {
  queue: Array<QueueCount>;
}

export interface JobsRetryAnswer {
  retried: number;
}

export interface JobsRetryBody {
  /** A job's id. */
  job?: string | null;
}

export interface JobsRetryEverywhereAnswer {
  retried: number;
}

export interface JobsRetryEverywhereBody {
  /** A job's id. */
  job?: string | null;
}

/** `space` None means every space: an admin key. */
export interface Key {
  id: string;
  space: string | null;
  name: string;
  read_only: boolean;
  created_at: string;
  expires_at: string | null;
  used_at: string | null;
  revoked_at: string | null;
}

export interface KeyList {
  keys: Array<Key>;
}

/** Which keys have messages that are `there`, and which were `erased`. */
export interface KnownKeys {
  there: Array<string>;
  erased: Array<string>;
}

/** Milliseconds; None when there was nothing to measure. */
export interface Latency {
  p50?: number | null;
  p95?: number | null;
}

/** A job as listed for people; its state is one of `SHOWN`. */
export interface ListedJob {
  id: string;
  space: string;
  kind: string;
  key: string;
  state: string;
  attempts: number;
  due_at: string;
  reason: string | null;
}

/**
 * How a bot listens to a channel. `on` is None if nobody chose, as for a thread that follows
 * its channel. `since`: from this time, "" for the beginning. `heard`: the key of the last message
 * that was read. `audited`: up to which key the channel was compared with its platform again, ""
 * for completely, last at `audited_at`. `by`: who chose; `at`: when it last changed.
 */
export interface ListenedChannel {
  channel: string;
  title: string;
  on: boolean | null;
  since: string;
  heard: string;
  by: string;
  at: string;
  audited?: string;
  audited_at?: string | null;
}

export interface MemoriesBrowseAnswer {
  hits: Array<Hit>;
  counts: BrowseCounts;
  next?: string | null;
  total?: number | null;
}

export interface MemoriesFlaggedAnswer {
  flagged: Array<FlaggedMemory>;
  next?: string | null;
  total?: number | null;
}

export interface MemoriesHistoryAnswer {
  versions: Array<Version>;
}

export interface MemoriesListAnswer {
  memories: Array<Hit>;
  next?: string | null;
  total?: number | null;
}

export interface MemoriesRealignAnswer {
  realigned: number;
}

export interface MemoriesRegenerateBody {
  /** The sequence number of a message in its channel. */
  first: number;
  /** The sequence number of a message in its channel. */
  last: number;
  /** What to regenerate. */
  what?: "chunk" | "facts" | "structured" | "meta" | "embeddings";
  overwrite?: boolean;
}

export interface MemoriesRestoreBody {
  /** Who makes the change. */
  by?: string | null;
}

export interface MemoriesReviewAnswer {
  reviewed: number;
}

export interface MemoriesReviewBody {
  /** Who makes the change. */
  by?: string | null;
  /** `keep`: leave it as it is. `reopen`: review it again. */
  decision?: "keep" | "reopen";
}

/**
 * How many memories a channel has. `stale` counts metas whose parts have changed, `levels` the
 * levels of metas.
 */
export interface MemoryCounts {
  chunks?: number;
  metas?: number;
  stale?: number;
  levels?: number;
  facts?: number;
  notes?: number;
}

export interface MemoryDoctorAnswer {
  findings: Array<Finding>;
}

export interface MemoryForgetBody {
  /** What to remember, in a sentence. */
  fact: string;
  /** A person's id. */
  by?: string | null;
  /** The channel. */
  channel?: string | null;
}

export interface MemoryRememberBody {
  /** What to remember, in a sentence. */
  fact: string;
  /** A person's id. */
  by?: string | null;
  /** The channel. */
  channel?: string | null;
}

export interface MemorySearchAnswer {
  hits: Array<Hit>;
}

/** The new text of a memory. */
export interface MemoryTextBody {
  text: string;
  by?: string | null;
}

export interface Message {
  id: string;
  seq: number;
  role: string;
  person: string | null;
  name: string | null;
  text: string;
  at: string;
  key: string | null;
  model: string | null;
  meta: Record<string, unknown>;
}

/**
 * One message. `at` is ISO 8601 with a time zone, for imports. `key` is your own id; sending it
 * again changes nothing.
 */
export interface MessageBody {
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  person?: string | null;
  name?: string | null;
  at?: string | null;
  key?: string | null;
  model?: string | null;
  meta?: Record<string, unknown> | null;
  /** Optional; must be the channel of the path. */
  channel?: string | null;
}

export interface MessageList {
  messages: Array<Message>;
}

/** Messages that are stored together, all or none. */
export interface MessagesBody {
  messages: Array<MessageBody>;
}

/** The result. `detail` is the model's answer, or what is wrong and what to do about it. */
export interface ModelCheck {
  role: string;
  model: string;
  ok: boolean;
  ms: number;
  detail: string;
  input_tokens?: number;
  output_tokens?: number;
}

/** With the key itself, shown once. */
export interface NewKey {
  id: string;
  space: string | null;
  name: string;
  read_only: boolean;
  created_at: string;
  expires_at: string | null;
  used_at: string | null;
  revoked_at: string | null;
  key: string;
}

export interface NewKeyBody {
  /** The key's name. Changes made with it are recorded under this name. */
  name?: string;
  /** A read-only key can read and ask, but change nothing. */
  read_only?: boolean;
  /** A duration such as 30d or 12h, or a time such as 2027-01-01T00:00:00Z. */
  expires?: string | null;
}

/**
 * The result of a nightly run: `notes` were put into `topics`; `people` took part in notes
 * since the last run.
 */
export interface Night {
  day: string;
  notes: number;
  topics: number;
  people: number;
}

/**
 * A conversation (kind `note`, messages `first_seq` to `last_seq` of its channel) or a cluster
 * of a day's notes (kind `topic`, made from `notes`; its channel is "" unless all are of one
 * private channel). `topic`: the topic of a note. `expired`: only its title is left, for memories
 * made from it.
 */
export interface Note {
  id: string;
  kind: string;
  channel: string;
  first_seq: number;
  last_seq: number;
  day: string;
  title: string;
  text: string;
  people: Array<string>;
  from_at: string;
  to_at: string;
  topic: string | null;
  writer: string;
  draft: boolean;
  expired?: boolean;
  notes?: Array<string>;
}

/**
 * A note with its `topic`, or a topic with its notes (`parts`); the profile facts made from it,
 * and the names of the people in it.
 */
export interface NoteDetails {
  note: Note;
  topic: Note | null;
  parts: Array<Note>;
  facts: Array<ProfileFact>;
  names: Record<string, string>;
}

/** A day, with the number of its notes and topics. */
export interface NotedDay {
  day: string;
  notes: number;
  topics: number;
}

export interface NotesBuffersAnswer {
  buffers: Array<Buffer>;
  next?: string | null;
  total?: number | null;
}

export interface NotesDaysAnswer {
  days: Array<NotedDay>;
}

export interface NotesListAnswer {
  notes: Array<Note>;
  next?: string | null;
  total?: number | null;
}

/**
 * An origin of messages: the `source` in their meta, such as an import file, with the times of
 * the first and last.
 */
export interface Origin {
  source: string;
  messages: number;
  channels: number;
  first_at: string;
  last_at: string;
}

/** `next` is the cursor of the next page; null on the last one. */
export interface PageOfMessages {
  messages: Array<Message>;
  next?: string | null;
}

export interface PeopleAddToProfileBody {
  /** The section of the profile. */
  section: "bio" | "interests" | "skills" | "opinions" | "relationships" | "other";
  /** The text. */
  text: string;
  /** Who makes the change. */
  by?: string | null;
}

export interface PeopleBlockBody {
  /** A person's id. */
  by?: string | null;
}

export interface PeopleDeleteProfileAnswer {
  deleted: number;
}

export interface PeopleImportProfileAnswer {
  imported: number;
}

export interface PeopleImportProfileBody {
  /** Lines, or objects with `text` and perhaps `section` and `at`. */
  facts: Array<string | Record<string, unknown>>;
  /** Who makes the change. */
  by?: string | null;
}

export interface PeopleListAnswer {
  people: Array<PersonEntry>;
  next?: string | null;
  total?: number | null;
}

export interface PeopleMessagesAnswer {
  hits: Array<Hit>;
  next?: string | null;
  total?: number | null;
}

export interface PeopleRememberedAnswer {
  remembered: Array<ToldText>;
}

export interface PeopleShareBody {
  shares?: boolean;
}

/**
 * A person with all their `names`, the latest first, the number of stored `messages` and the
 * time of the last.
 */
export interface PersonEntry {
  person: string;
  name: string;
  names: Array<PersonName>;
  messages: number;
  last_at: string | null;
  blocked: boolean;
  shares: boolean;
}

/** A name of a person, and when it was first and last seen. */
export interface PersonName {
  name: string;
  first_at: string;
  last_at: string;
}

/** `text` is the prompt's output, "" for nothing; `stored` is what is there now. */
export interface Preview {
  prompt: string;
  first: number;
  last: number;
  text: string;
  stored: string;
  writer: string;
  seconds: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
}

/** A person's facts by section, each in the order they were said. */
export interface Profile {
  person: string;
  name: string;
  sections: Record<string, Array<ProfileFact>>;
}

/**
 * `note`: the note it came from; `notes`: all notes; `said_by`: who said it, None for the
 * person; `channel`: where it was said, or ""; `flag`: why it is only quoted. With `valid_to` it
 * no longer holds.
 */
export interface ProfileFact {
  id: string;
  person: string;
  section: string;
  text: string;
  note: string | null;
  said_by: string | null;
  channel: string;
  seq: number | null;
  slot: string;
  value: string;
  flag: string;
  at: string;
  valid_to: string | null;
  superseded_by: string | null;
  writer: string;
  draft: boolean;
  edited_at?: string | null;
  notes?: Array<string>;
}

/** `source`: its note as "title, Mon D", or ""; `said_by`: who said it, None for the person. */
export interface ProfileStatement {
  id: string;
  text: string;
  source: string;
  said_by: string | null;
  at: string;
}

export interface PromptsListAnswer {
  prompts: Array<CurrentPrompt>;
}

export interface PromptsPreviewBody {
  /** The sequence number of a message in its channel. */
  first: number;
  /** The sequence number of a message in its channel. */
  last: number;
  /** The prompt's name. */
  prompt: string;
  /** The text. */
  instructions?: string | null;
}

export interface PromptsResetAnswer {
  reset: boolean;
}

export interface PromptsSetBody {
  /** The prompt. */
  instructions: string;
  /** A person's id. */
  person?: string | null;
}

export interface QuestionBody {
  query: string;
  person?: string | null;
  name?: string | null;
  model?: string | null;
  system?: string;
  sources?: string;
  budget?: number | null;
  recipe?: "dual" | "brief" | "recall" | "person" | "community" | "full" | null;
  key?: string | null;
  /** Only content of these channels (repeat for each), of the channel asked in, and what is visible to everyone. */
  within?: Array<string> | null;
  scope?: "channel" | "person" | null;
  floor?: number | null;
  /** A model first splits the question. */
  decompose?: boolean;
  /** False: question and reply are not logged. */
  keep?: boolean;
}

/**
 * Unfinished jobs of one kind and state. `oldest`: when the first was or will be due. `retried`
 * of them failed before, one of them for this `reason`.
 */
export interface QueueCount {
  state: string;
  kind: string;
  jobs: number;
  oldest: string;
  retried: number;
  reason: string | null;
}

/**
 * What was erased. `counts`: rows deleted or to be made again, by kind. `checked`: nothing was
 * found afterwards. `digest` covers the rest and is on record; the record names nobody.
 */
export interface Receipt {
  id: string;
  at: string;
  what: Record<string, string>;
  counts: Record<string, number>;
  checked: boolean;
  digest: string;
}

/**
 * A recommendation. `value` and `threshold` are in `unit`: share, per week or seconds. `passed`
 * is None without enough data; `action` says what to turn on if the threshold is passed.
 */
export interface Recommendation {
  metric: string;
  threshold: number;
  value: number | null;
  passed: boolean | null;
  meaning: string;
  action: string;
  unit?: string;
}

/**
 * What a regeneration did, by ids. `replaced`: made again; `kept`: edited by people, and left;
 * `gone`: there before, and not any more. `undo` identifies it for `Undo`; "" if there is nothing
 * to undo.
 */
export interface RegenerateResult {
  what: string;
  first: number;
  last: number;
  replaced: Array<string>;
  kept: Array<string>;
  gone?: Array<string>;
  undo?: string;
}

/**
 * A report. Shares are between 0 and 1, or None without data. Days are UTC; the last one is
 * today.
 *
 * `thin`: queries with fewer than 3 hits by words. `meaning`: queries that used semantic search.
 * `missed`: queries with feedback for which words and trigrams found almost nothing.
 * `structure_rate`: chunks from which a memory with a type was made. `memory_share`: the share of
 * model tokens used for making memories.
 */
export interface Report {
  space: string;
  since: string;
  until: string;
  days: number;
  requests: number;
  queries: number;
  by_op: Record<string, number>;
  hit_rates: Record<string, number | null>;
  thin: number | null;
  fallback: number | null;
  widened: number | null;
  meaning: number | null;
  summaries_only: number | null;
  truncated: number | null;
  empty: number | null;
  retrieval: Latency;
  model: Latency;
  whole: Latency;
  errors: Record<string, number | null>;
  tokens_per_request: number | null;
  spent: Array<TokenUsage>;
  memory_share: number | null;
  feedback: number;
  missed: number | null;
  structure_rate: number | null;
  daily: Array<ReportDay>;
}

/** The figures of one day, as in a Report. */
export interface ReportDay {
  day: string;
  counts: RequestCounts;
  retrieval: Latency;
  model: Latency;
  whole: Latency;
  feedback: number;
  missed?: number;
  structure_rate?: number | null;
  spent?: Array<TokenUsage>;
}

/**
 * A recorded request. `searched`: a search was made. `hits` is per path; `path` is the one that
 * gave the result; `when` are the recognised time expressions; `truncated`: the budget cut
 * something that was found. A `trial` is not counted in reports. `candidates`, `parts` (tokens per
 * part of the context), `reply` (the message that answered) and `sub_questions` (that a model
 * split it into) are only filled by `explain`. `title` is that of its channel, "" without one.
 */
export interface Request {
  id: string;
  at: string;
  op: string;
  channel?: string | null;
  person?: string | null;
  query?: string;
  searched?: boolean;
  hits?: Record<string, number>;
  path?: string;
  fallback?: boolean;
  scope?: string;
  widened?: string;
  when?: string;
  items?: number;
  tokens?: number;
  budget?: number | null;
  truncated?: boolean;
  retrieval_ms?: number;
  model_ms?: number | null;
  model?: string | null;
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  error_stage?: string | null;
  feedback?: string | null;
  candidates?: Array<Candidate>;
  parts?: Record<string, number>;
  trial?: boolean;
  recipe?: string;
  reply?: string | null;
  sub_questions?: Array<string>;
  title?: string;
}

/**
 * Counts of a day or of the whole period. Searches are counted over `queries`, truncation and
 * tokens over `contexts`, the rest over all requests.
 */
export interface RequestCounts {
  requests?: number;
  queries?: number;
  contexts?: number;
  summaries?: number;
  words?: number;
  trigram?: number;
  meaning?: number;
  recent?: number;
  thin?: number;
  fallback?: number;
  widened?: number;
  summaries_only?: number;
  truncated?: number;
  empty?: number;
  tokens?: number;
  retrieval_errors?: number;
  model_errors?: number;
  log_errors?: number;
}

export interface RequestsFeedbackBody {
  /** A note; may be empty. */
  note?: string;
}

export interface RequestsListAnswer {
  requests: Array<Request>;
  next?: string | null;
  total?: number | null;
}

export interface RequestsRecommendationsAnswer {
  recommendations: Array<Recommendation>;
}

/** One effective setting of a space. The value of an api_key only shows whether it is set. */
export interface SettingChoice {
  name: string;
  value: string;
  whose: "default" | "space";
}

/**
 * `done` in this call; `waiting` for a retry or running elsewhere, without timers; `parked`
 * until someone retries them.
 */
export interface Settled {
  done: number;
  waiting: number;
  parked: number;
}

/**
 * Where a memory comes from, down to the messages. `seq` and `speaker` are a message's; `expired` is the number of a
 * memory's messages that are no longer stored; `trust` its tier; `title` that of its channel.
 */
export interface Source {
  id: string;
  kind: string;
  text: string;
  channel: string;
  at: string;
  writer: string | null;
  seq: number | null;
  speaker: string | null;
  sources: Array<Source>;
  expired?: number;
  trust?: string;
  title?: string;
}

/**
 * What a space has now, and how much of it is of each of the last days. Days are UTC; the last one is today.
 * Of all time, `daily` goes from the first to the last message, in steps of `step` days.
 */
export interface SpaceCounts {
  space: string;
  since: string;
  until: string;
  messages: number;
  channels: number;
  people: number;
  memories: Record<string, number>;
  daily: Array<DayCounts>;
  step?: number;
}

export interface SpacesConfigurationAnswer {
  configuration: Array<SettingChoice>;
}

export interface SpacesConfigureBody {
  model?: string | null;
  model_strong?: string | null;
  chat_model?: string | null;
  base_url?: string | null;
  recipe?: string | null;
  api_key?: string | null;
  privacy?: string | null;
  retention?: string | null;
  floor?: string | null;
}

export interface SpacesFlagsAnswer {
  counts: Record<string, number>;
}

export interface SpacesListAnswer {
  spaces: Array<string>;
  next?: string | null;
  total?: number | null;
}

export interface SpacesTryModelBody {
  /** Which of its models. */
  role?: "light" | "strong" | "chat" | "embedder";
}

/**
 * What a person wants from now on, in their own words. `topics`: what it is about, such as
 * name, units or length; it held `until`, if another has replaced it. `source`: where and when it
 * was said.
 */
export interface StandingRequest {
  id: string;
  text: string;
  topics: Array<string>;
  source: string;
  at: string;
  until: string | null;
  channel: string;
  seq: number;
}

/**
 * A fact about a person. `source`: where and when it was said; `said_by`: who said it, None for the person. It held
 * `until`, if it holds no longer.
 */
export interface StatedFact {
  id: string;
  kind: string;
  text: string;
  source: string;
  said_by: string | null;
  at: string;
  until: string | null;
  channel: string;
  seq: number;
}

/**
 * A structured memory. `person`: whom it is about, if known here (of an entity, whose it is);
 * `subject`: the name that was used. `said_by`: an id, a name or a role. It is valid from
 * `valid_from` until `valid_to` (None: still), when `superseded_by` replaced it. `sources`: the
 * message that says it first, then those that repeat it.
 */
export interface StructuredMemory {
  id: string;
  type: string;
  text: string;
  person: string | null;
  subject: string | null;
  said_by: string | null;
  slot: string;
  value: string;
  confidence: number;
  done: boolean;
  due: string | null;
  at: string;
  valid_from: string;
  valid_to: string | null;
  superseded_by: string | null;
  restates: string | null;
  channel: string;
  seq: number;
  first_seq: number;
  last_seq: number;
  writer: string;
  draft: boolean;
  edited_by: string | null;
  sources?: Array<string>;
}

/**
 * The summary of messages `first` to `last`: a chunk (level 0) or a meta. `stale`: its parts
 * have changed since.
 */
export interface Summary {
  id: string;
  level: number;
  first: number;
  last: number;
  text: string;
  stale: boolean;
  writer: string;
  draft: boolean;
  from_at: string;
  to_at: string;
  edited_by: string | null;
}

/**
 * Token usage of `chat` or of a memory task (summarise, condense, extract, fold, …).
 * `failed` of the calls gave nothing; `unborne` memories were left out, because no message
 * bears them out.
 */
export interface TokenUsage {
  task: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  failed?: number;
  unborne?: number;
}

/**
 * A remembered text. `audience` is "" if everyone in the space may see it, else a private
 * channel. `version` counts its changes.
 */
export interface ToldText {
  id: string;
  person: string;
  audience: string;
  text: string;
  version: number;
  writer: string;
  draft: boolean;
  changed_at: string;
}

/** `undo`, `replaced` and `gone` as returned by `regenerate`. */
export interface UndoBody {
  undo: string;
  replaced: Array<string>;
  gone: Array<string>;
  by?: string | null;
}

export interface UndoResult {
  undone: number;
}

/** A version. `text` is the new text; of a deleted or replaced memory, its last one. */
export interface Version {
  version: number;
  action: string;
  text: string;
  by: string;
  at: string;
}

/** RFC 9457 problem. `detail` says what to do; `errors` lists the invalid fields. */
export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail: string;
  /** The name of the error class. */
  error?: string | null;
  errors?: Array<Record<string, string>> | null;
}

export class HealthResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Whether the process lives.
   * Answer while the process lives. It says nothing about the database.
   */
  healthz(options?: Options): Promise<Record<string, string>> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/healthz", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Whether it can serve.
   * Check that the database answers and has the structure this version needs, or a later one, as
   * between `migrate` and a new version's start. It fails while the server closes.
   */
  readyz(options?: Options): Promise<Record<string, string>> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/readyz", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show metrics for Prometheus.
   * Show the server's metrics. They cover all spaces, so an admin key is needed; a read-only one
   * is enough.
   */
  metrics(options?: Options): Promise<string> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/metrics", "query": [], "headers": [], "body": false, "answer": "text", "again": true} satisfies Call, given, options);
  }
}

export class KeysResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List every key.
   * List every key without its secret, including revoked ones.
   */
  allKeys(options?: Options): Promise<KeyList> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/v1/keys", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Create a key for any space, or an admin key.
   * Create a key for a space or, without one, an admin key. Its secret is shown only once. It
   * can't expire later than the key that creates it.
   */
  createAnyKey(given: AdminKeyBody, options?: Options): Promise<NewKey> {
    return this.transport.send({"method": "POST", "path": "/v1/keys", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Revoke any key.
   * Revoke a key. Every server refuses it within about a second.
   */
  revokeAnyKey(given: {
  /** The key's id: what stands between `er_` and the secret. */
  id: string;
}, options?: Options): Promise<void> {
    return this.transport.send({"method": "DELETE", "path": "/v1/keys/{id}", "query": [], "headers": [], "body": false, "answer": "nothing", "again": false} satisfies Call, given, options);
  }

  /**
   * List keys.
   * List the keys of a space without their secrets. Needs a key that may write there.
   */
  list(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<KeyList> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/keys", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Create a key.
   * Create a key for a space. It can't expire later than the key that creates it.
   */
  create(given: {
  /** The space. */
  space?: string;
} & Omit<NewKeyBody, "space">, options?: Options): Promise<NewKey> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/keys", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Revoke a key.
   * Revoke a key of the space. Every server refuses it within about a second.
   */
  revoke(given: {
  /** The key's id: what stands between `er_` and the secret. */
  id: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<void> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/keys/{id}", "query": [], "headers": [], "body": false, "answer": "nothing", "again": false} satisfies Call, given, options);
  }
}

export class ChannelResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Add messages.
   * Store one message, or several (all or none). They are on disk when this returns.
   *
   * With a `key` per message or an `Idempotency-Key`, a retry returns what was stored the first
   * time. An `Idempotency-Key` with different texts is refused.
   */
  add(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** Your own id of this request. Sending it again returns the messages stored then. */
  idempotencyKey?: string | null;
} & Omit<MessageBody, "space" | "channel">, options?: Options): Promise<Message>;
  add(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** Your own id of this request. Sending it again returns the messages stored then. */
  idempotencyKey?: string | null;
} & Omit<MessagesBody, "space" | "channel">, options?: Options): Promise<MessageList>;
  add(given: ({
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** Your own id of this request. Sending it again returns the messages stored then. */
  idempotencyKey?: string | null;
} & Omit<MessageBody, "space" | "channel">) | ({
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** Your own id of this request. Sending it again returns the messages stored then. */
  idempotencyKey?: string | null;
} & Omit<MessagesBody, "space" | "channel">), options?: Options): Promise<any> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/messages", "query": [], "headers": ["idempotency-key"], "body": true, "answer": "json", "again": true, "keyed": true} satisfies Call, given, options);
  }

  /**
   * Read messages.
   * Read messages in order, in pages, without gaps or duplicates.
   */
  messages(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** The `seq` of the last message you have; not with `cursor`. */
  after?: number | null;
  limit?: number;
  /** `next` of the previous page. */
  cursor?: string | null;
}, options?: Options): Promise<PageOfMessages> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/messages", "query": ["after", "limit", "cursor"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Delete messages.
   * Delete messages, as their sender did, with everything made from them. A message with one of
   * these keys is not stored later either.
   */
  delete(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** The key of a message; repeat for each. */
  key: Array<string>;
}, options?: Options): Promise<DeleteResult> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/channels/{channel}/messages", "query": ["key"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Build a context.
   * Build what a model should know to answer `query` within `budget`, with sources.
   */
  context(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  /** The question. Without one, the context has standing memories only. */
  query?: string;
  /** Who asks. */
  person?: string | null;
  /** Tokens, at least 100. */
  budget?: number | null;
  /** The recipe; by default the space's. */
  recipe?: "dual" | "brief" | "recall" | "person" | "community" | "full" | null;
  /** `person` also searches the person's other channels; by default only if there is too little here. */
  scope?: "channel" | "person" | null;
  /** Only content of these channels (repeat for each), of the channel asked in, and what is visible to everyone. */
  within?: Array<string> | null;
  /** Leave out what is less likely to bear on the question. */
  floor?: number | null;
  /** Leave out what is less trusted than this tier. */
  trust?: "unknown" | "third_party" | "tool" | "assistant" | "user" | "self" | null;
  /** A model first splits the question into at most three, which are searched too. */
  decompose?: boolean;
  /** Include the lines of each part with their sources. */
  items?: boolean;
  /** A trial is not counted in reports. */
  trial?: boolean;
}, options?: Options): Promise<ContextResponse> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/context", "query": ["query", "person", "budget", "recipe", "scope", "within", "floor", "trust", "decompose", "items", "trial"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Build a context for a long question.
   * Build a context, with the question in the body, where it may be of any length.
   */
  contextOf(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
} & Omit<ContextBody, "space" | "channel">, options?: Options): Promise<ContextResponse> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/context", "query": [], "headers": [], "body": true, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Ask the chat model.
   * Ask the chat model with memory and stream its reply. Question and reply are logged, even if
   * you disconnect. If the model fails, the reply says so and is logged as failed.
   */
  ask(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
} & Omit<QuestionBody, "space" | "channel">, options?: Options): AsyncGenerator<ServerEvent> {
    return this.transport.stream({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/ask", "query": [], "headers": [], "body": true, "answer": "events", "again": false} satisfies Call, given, options);
  }

  /**
   * List the notes of a channel.
   * List the notes and topics of a channel, newest first.
   */
  notes(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
  person?: string | null;
  day?: string | null;
  kind?: "note" | "topic" | null;
  limit?: number;
  /** `next` of the previous page. */
  cursor?: string | null;
}, options?: Options): Promise<ChannelNotes> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/notes", "query": ["person", "day", "kind", "limit", "cursor"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count the messages the channel has had; also the `seq` of its last one.
   * Count the messages the channel has had; also the `seq` of its last one.
   */
  size(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<ChannelSizeAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Edit a message, as its sender did.
   * Edit a message, as its sender did. Memories made from the old text are made again.
   *
   * Returns None if there is no message with this key. An empty text deletes the message.
   */
  edit(given: {
  /** The channel. */
  channel: string;
  /** Your own id of a message. */
  key: string;
  /** The space. */
  space?: string;
} & Omit<ChannelEditBody, "channel" | "key" | "space">, options?: Options): Promise<ChannelEditAnswer> {
    return this.transport.send({"method": "PATCH", "path": "/v1/spaces/{space}/channels/{channel}/messages/{key}", "query": [], "headers": [], "body": true, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Return which of these keys `add` would skip because their messages exist or were erased.
   * Return which of these keys `add` would skip because their messages exist or were erased.
   * For resuming an import.
   */
  known(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelKnownBody, "channel" | "space">, options?: Options): Promise<KnownKeys> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/messages/known", "query": [], "headers": [], "body": true, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Carry out a spoken command: "remember that …", "forget that …", "what do you know about …".
   * Carry out a spoken command: "remember that …", "forget that …", "what do you know about
   * …".
   *
   * The intent "talk" means that the text is no command and nothing was done. `person` is the
   * speaker.
   */
  command(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelCommandBody, "channel" | "space">, options?: Options): Promise<CommandReply> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/command", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }
}

export class MemoriesResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Show a memory.
   * Show a memory with its direct sources. Use its ETag to edit or delete it.
   */
  get(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
  /** The ETag you have; 304 if the memory has not changed. */
  ifNoneMatch?: string | null;
}, options?: Options): Promise<Source> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/memories/{id}", "query": [], "headers": ["if-none-match"], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Edit a memory.
   * Edit a memory. Regeneration does not overwrite the new text.
   */
  edit(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
  /** The ETag you saw; 412 if the memory has changed since. */
  ifMatch?: string | null;
} & Omit<MemoryTextBody, "id" | "space">, options?: Options): Promise<Version> {
    return this.transport.send({"method": "PATCH", "path": "/v1/spaces/{space}/memories/{id}", "query": [], "headers": ["if-match"], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Delete a memory.
   * Delete a memory. A rebuild does not bring it back; `restore` does.
   */
  delete(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
  /** The ETag you saw; 412 if the memory has changed since. */
  ifMatch?: string | null;
}, options?: Options): Promise<Version> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/memories/{id}", "query": ["by"], "headers": ["if-match"], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Undo `regenerate`.
   * Undo `regenerate`. Send what it returned; 412 if any of the memories changed since.
   */
  undo(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel: string;
} & Omit<UndoBody, "space" | "channel">, options?: Options): Promise<UndoResult> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/regenerate/undo", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Extract missing facts.
   * Extract facts from chunks that have none yet, at most two a second, and report progress. It
   * stops if you disconnect; the next call resumes.
   */
  backfill(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): AsyncGenerator<Record<string, unknown>> {
    return this.transport.stream({"method": "POST", "path": "/v1/spaces/{space}/backfill", "query": [], "headers": [], "body": false, "answer": "lines", "again": false} satisfies Call, given, options);
  }

  /**
   * List memories, newest first.
   * List memories, newest first. Messages are listed only if `kinds` names them.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
  /** Only these kinds: message. */
  kinds?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<MemoriesListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/memories", "query": ["channel", "person", "kinds", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Browse messages and memories that contain the words, best first; without words all of them, newest first.
   * Browse messages and memories that contain the words, best first; without words all of
   * them, newest first.
   *
   * Returns counts by kind, channel, person, writer and month. Unlike `search`, it matches words
   * only, returns every match and is not recorded.
   */
  browse(given: {
  /** The space. */
  space?: string;
  /** Words it contains. */
  q?: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
  /** Only these kinds: message. */
  kinds?: string | null;
  /** Not before this day (UTC) or time. */
  since?: string | null;
  /** Up to the end of this day (UTC), or before this time. */
  until?: string | null;
  /** Who wrote it: a model, a person, or `extractive`. */
  writer?: string | null;
  /** Only what is at least as trusted: `user` is what people said, `self` what they said of themselves. */
  trust?: "unknown" | "third_party" | "tool" | "assistant" | "user" | "self" | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<MemoriesBrowseAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/browse", "query": ["q", "channel", "person", "kinds", "since", "until", "writer", "trust", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show the sources of a memory, down to its messages.
   * Show the sources of a memory, down to its messages.
   */
  sources(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<Source> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/memories/{id}/sources", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List the versions of a memory, oldest first, with who wrote each and when.
   * List the versions of a memory, oldest first, with who wrote each and when. Works for
   * deleted memories too.
   */
  history(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<MemoriesHistoryAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/memories/{id}/history", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Restore a deleted memory.
   * Restore a deleted memory. Fails if its sources are gone or another memory has replaced
   * it.
   */
  restore(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
} & Omit<MemoriesRestoreBody, "id" | "space">, options?: Options): Promise<Version> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/memories/{id}/restore", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Regenerate the memories of a range of messages now.
   * Regenerate the memories of a range of messages now.
   *
   * `chunk` regenerates everything that is made from its messages; any other value only what
   * it names. All is replaced, or nothing. People's edits are kept unless `overwrite` is set.
   * Metas above the range become stale.
   */
  regenerate(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<MemoriesRegenerateBody, "channel" | "space">, options?: Options): Promise<RegenerateResult> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/regenerate", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Regenerate every stale meta of a channel from its current parts, lowest level first.
   * Regenerate every stale meta of a channel from its current parts, lowest level first.
   * Returns how many.
   */
  realign(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<MemoriesRealignAnswer> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/realign", "query": [], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * List flagged memories, newest first: those not reviewed yet, or with `reviewed` those that were.
   * List flagged memories, newest first: those not reviewed yet, or with `reviewed` those
   * that were.
   */
  flagged(given: {
  /** The space. */
  space?: string;
  /** Only those flagged for this. */
  reason?: "instruction" | "authority" | "secret" | "hidden" | "sending" | "unverified" | "contradiction" | null;
  reviewed?: boolean;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<MemoriesFlaggedAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/flagged", "query": ["reason", "reviewed", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Review a flagged memory: keep it, or reopen the review.
   * Review a flagged memory: keep it, or reopen the review. Returns for how many reasons it
   * was flagged. Use `edit` or `delete` to change it.
   */
  review(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
} & Omit<MemoriesReviewBody, "id" | "space">, options?: Options): Promise<MemoriesReviewAnswer> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/memories/{id}/review", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }
}

export class MemoryResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Erase a person.
   * Erase a person's messages, the replies to them and all memories made from them, and verify
   * that nothing is left. Memories made from other people's messages too are regenerated. This can't
   * be undone.
   */
  erase(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
}, options?: Options): Promise<Receipt> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/people/{person}", "query": ["by"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Show what is known about a person, by id or name: remembered facts, their last days, their profile.
   * Show what is known about a person, by id or name: remembered facts, their last days,
   * their profile.
   *
   * With `fresh`, missing daily summaries are written now, which may wait for a model. With a
   * `channel` or an `asker`, only what is visible there or to them; without either, everything.
   * `within` limits it to these channels, `channel`, and what is visible to everyone.
   */
  about(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  asker?: string | null;
  fresh?: boolean;
  /** Only content of these channels, of the channel asked in, and what is visible to everyone. */
  within?: Array<string> | null;
}, options?: Options): Promise<About> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}", "query": ["channel", "asker", "fresh", "within"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Erase a channel.
   * Erase a channel with everything made from it. This can't be undone.
   */
  eraseChannel(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
}, options?: Options): Promise<Receipt> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/channels/{channel}", "query": ["by"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Erase a message.
   * Erase one message and the reply to it. On SQLite this rewrites the file; for everyday
   * deletions use `DELETE …/channels/{channel}/messages`.
   */
  eraseMessage(given: {
  /** A message's id. */
  id: string;
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
}, options?: Options): Promise<Receipt> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/messages/{id}", "query": ["by"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Erase an origin.
   * Erase all messages with this origin, in every channel, and the channels and people known only
   * from them.
   */
  eraseOrigin(given: {
  /** What messages name as their origin. */
  origin: string;
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
}, options?: Options): Promise<Receipt> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/origins/{origin}", "query": ["by"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Erase a space.
   * Erase a whole space with its settings and keys, which open nothing from then on. It takes an
   * admin key, or a key of the space that may write, and `everything=true`.
   */
  eraseSpace(given: {
  /** The space. */
  space?: string;
  /** Who makes the change; by default the key's name. */
  by?: string | null;
  /** Must be true, to confirm that the whole space is erased. */
  everything?: boolean;
} = {}, options?: Options): Promise<Receipt> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}", "query": ["by", "everything"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Export a person.
   * Export one zip: their messages, which can be imported again, what is remembered about them
   * with its sources, and a page to read.
   */
  export(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<Uint8Array> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}/export", "query": [], "headers": [], "body": false, "answer": "bytes", "again": true} satisfies Call, given, options);
  }

  /**
   * Export a channel.
   * Export one zip with the messages and memories of a channel, and a page to read.
   */
  exportChannel(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<Uint8Array> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/export", "query": [], "headers": [], "body": false, "answer": "bytes", "again": true} satisfies Call, given, options);
  }

  /**
   * Export a space.
   * Export all of the space but its keys as one zip, to read and to import without loss.
   */
  exportSpace(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<Uint8Array> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/export", "query": [], "headers": [], "body": false, "answer": "bytes", "again": true} satisfies Call, given, options);
  }

  /**
   * Search messages and memories, best first.
   * Search messages and memories, best first.
   *
   * With an `asker`, only what is visible to them, also in a `channel`. `since` and `until` limit the time; days are
   * whole days in UTC. `writer` selects memories written by a model, a person, or "extractive".
   * `trust` leaves out what is less trusted. A `trial` is not counted in reports. `within`
   * limits the search to these channels, `channel`, and what is visible to everyone. With
   * `decompose`, a model first splits the question into at most three.
   */
  search(given: {
  /** The space. */
  space?: string;
  /** What to search for. */
  q: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
  /** A person's id. */
  asker?: string | null;
  /** Only these kinds: message. */
  kinds?: string | null;
  /** Not before this day (UTC) or time. */
  since?: string | null;
  /** Up to the end of this day (UTC), or before this time. */
  until?: string | null;
  /** Who wrote it: a model, a person, or `extractive`. */
  writer?: string | null;
  /** Only what is at least as trusted: `user` is what people said, `self` what they said of themselves. */
  trust?: "unknown" | "third_party" | "tool" | "assistant" | "user" | "self" | null;
  trial?: boolean;
  /** Only content of these channels, of the channel asked in, and what is visible to everyone. */
  within?: Array<string> | null;
  /** A model first splits the question into at most three, which are searched too. */
  decompose?: boolean;
  /** The maximum number of items. */
  limit?: number;
}, options?: Options): Promise<MemorySearchAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/search", "query": ["q", "channel", "person", "asker", "kinds", "since", "until", "writer", "trust", "trial", "within", "decompose", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Remember a fact about a person.
   * Remember a fact about a person. It replaces facts it contradicts and is on disk when this
   * returns.
   *
   * `by` is who says it, by default the app itself. A fact said by someone else is shown as
   * theirs. A fact told in a private `channel` is visible only there.
   */
  remember(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<MemoryRememberBody, "person" | "space">, options?: Options): Promise<ToldText> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/people/{person}/remember", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Forget a fact about a person, and return whether it was known.
   * Forget a fact about a person, and return whether it was known. About others, people can
   * only forget what they said themselves.
   */
  forget(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<MemoryForgetBody, "person" | "space">, options?: Options): Promise<ForgetResult> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/people/{person}/forget", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Run everything that is due now.
   * Run everything that is due now. Jobs with a later due time stay waiting.
   */
  settle(options?: Options): Promise<Settled> {
    const given = {};
    return this.transport.send({"method": "POST", "path": "/v1/settle", "query": [], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Find problems and say what to do about them.
   * Find problems and say what to do about them. `quick` skips checking the whole database
   * for damage, and what a model of one's own server can do.
   */
  doctor(given: {
  /** The space. */
  space?: string;
  /** Skip checking the whole database for damage. */
  quick?: boolean;
} = {}, options?: Options): Promise<MemoryDoctorAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/doctor", "query": ["quick"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }
}

export class ArchiveResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Back up the whole database.
   * Back up every space as of one moment, while others go on writing, in one zip that `erstwhile
   * backup FILE --restore` takes on either database. It holds the digests of keys and what is
   * sealed: keep it as you keep the database.
   */
  backup(options?: Options): Promise<Uint8Array> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/v1/backup", "query": [], "headers": [], "body": false, "answer": "bytes", "again": true} satisfies Call, given, options);
  }

  /**
   * List the receipts of erasures, newest first; optionally only those of a person or a channel.
   * List the receipts of erasures, newest first; optionally only those of a person or a
   * channel. Receipts contain no names.
   */
  receipts(given: {
  /** The space. */
  space?: string;
  /** A person's id. */
  person?: string | null;
  /** The channel. */
  channel?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<ArchiveReceiptsAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/receipts", "query": ["person", "channel", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List the origins of messages (import files, platforms), the one with the newest message first.
   * List the origins of messages (import files, platforms), the one with the newest message
   * first.
   */
  origins(given: {
  /** The space. */
  space?: string;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<ArchiveOriginsAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/origins", "query": ["cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count by kind what `expire` would remove now, at most.
   * Count by kind what `expire` would remove now, at most. Nothing is removed.
   */
  expiring(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<ExpiryReport> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/expiring", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Remove what is older than the retention of the space allows.
   * Remove what is older than the retention of the space allows. A job does this every hour.
   * Rows that pending jobs still need are kept until then.
   */
  expire(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<ExpiryReport> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/expire", "query": [], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }
}

export class EventsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * Watch what changes.
   * Stream what changes from now on. A client that reconnects with the last `id:` it saw misses
   * nothing and sees nothing twice; when that is no longer kept, the first event is `reset` of kind
   * `space`: load again what you show. The stream ends when its key does.
   */
  watch(given: {
  /** The space. */
  space?: string;
  /** Only of these kinds, with commas between. */
  kinds?: string | null;
  /** Only what is of this channel. */
  channel?: string | null;
  /** The cursor to go on from; 0: the oldest kept. Without it, from now on. */
  after?: string | null;
  /** The same, as browsers send it when they reconnect. */
  lastEventId?: string | null;
} = {}, options?: Options): AsyncGenerator<ServerEvent> {
    return this.transport.stream({"method": "GET", "path": "/v1/spaces/{space}/events", "query": ["kinds", "channel", "after"], "headers": ["last-event-id"], "body": false, "answer": "events", "again": true} satisfies Call, given, options);
  }
}

export class ChannelsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the channels of a space by name, or with the most recently active first (`recent`).
   * List the channels of a space by name, or with the most recently active first
   * (`recent`). `matching` is part of a name, a title or a participant's name. With `counts`,
   * count the memories of each; with `previews`, tell who is in it and what was said last.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** Only these, by their ids. */
  channels?: Array<string> | null;
  /** Part of the name or title. */
  matching?: string | null;
  /** `recent`: most recently active first. */
  order?: "name" | "recent";
  counts?: boolean;
  previews?: boolean;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<ChannelsListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels", "query": ["channels", "matching", "order", "counts", "previews", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show one channel: its size, privacy, last message and memory counts.
   * Show one channel: its size, privacy, last message and memory counts. An unused channel
   * has size 0.
   */
  get(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<ChannelEntry> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/outline", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List the latest summaries of a channel in order: chunks (level 0), then metas.
   * List the latest summaries of a channel in order: chunks (level 0), then metas. `first`
   * and `last` select summaries that overlap these messages.
   */
  summaries(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
  /** 0: chunks; 1: summaries of chunks; and so on. */
  level?: number | null;
  /** The sequence number of a message in its channel. */
  first?: number | null;
  /** The sequence number of a message in its channel. */
  last?: number | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
}, options?: Options): Promise<ChannelsSummariesAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/summaries", "query": ["level", "first", "last", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show the rolling summary of a channel, if it has one yet.
   * Show the rolling summary of a channel, if it has one yet.
   */
  brief(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<ChannelsBriefAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/brief", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Set a channel to open, private or direct, and set its other members and its title.
   * Set a channel to open, private or direct, and set its other members and its title.
   *
   * Content of a private or direct channel is visible in another channel only if everyone there
   * may see it. This also applies to messages that were sent while the channel was open.
   */
  setPrivacy(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelsSetPrivacyBody, "channel" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/channels/{channel}/privacy", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * List who may see each channel, by name; with `declared`, only channels whose privacy was set.
   * List who may see each channel, by name; with `declared`, only channels whose privacy was
   * set.
   */
  visibility(given: {
  /** The space. */
  space?: string;
  declared?: boolean;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<ChannelsVisibilityAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/visibility", "query": ["declared", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Set whether a bot listens to a channel, from the time `since` or from the channel's beginning.
   * Set whether a bot listens to a channel, from the time `since` or from the channel's
   * beginning. Stored messages are kept.
   */
  listen(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelsListenBody, "channel" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/channels/{channel}/listening", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * List the channels for which listening was set, by name, with how far the bot has read each.
   * List the channels for which listening was set, by name, with how far the bot has read
   * each.
   */
  listening(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<ChannelsListeningAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/listening", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Record how far a bot has read a channel: up to the message with this key, "" for not at all.
   * Record how far a bot has read a channel: up to the message with this key, "" for not at
   * all.
   */
  markRead(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelsMarkReadBody, "channel" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/channels/{channel}/read", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * Record how far a channel was compared with its platform again: up to this key, "" for all of it.
   * Record how far a channel was compared with its platform again: up to this key, "" for all
   * of it.
   */
  markChecked(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<ChannelsMarkCheckedBody, "channel" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/channels/{channel}/checked", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }
}

export class FactsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the latest facts of a channel in order, with category, importance (1 to 5) and links.
   * List the latest facts of a channel in order, with category, importance (1 to 5) and
   * links. `first` and `last` select a range of messages.
   */
  list(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
  /** Only facts about this. */
  category?: "date" | "place" | "preference" | "relation" | "promise" | "plan" | "decision" | "event" | "number" | "other" | null;
  /** Only facts of at least this importance, 1 to 5. */
  min_importance?: number | null;
  /** The sequence number of a message in its channel. */
  first?: number | null;
  /** The sequence number of a message in its channel. */
  last?: number | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
}, options?: Options): Promise<FactsListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/channels/{channel}/facts", "query": ["category", "min_importance", "first", "last", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Add a fact by hand.
   * Add a fact by hand. `person` is who it is about. `trust` is `assistant` if a model wrote
   * it, `third_party` if it is copied from elsewhere. Adding the same fact again changes
   * nothing.
   */
  add(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<FactsAddBody, "channel" | "space">, options?: Options): Promise<Fact> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/facts", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * List structured memories with their sources, newest first: those valid now, at a given time, or at any time (`all`).
   * List structured memories with their sources, newest first: those valid now, at a given
   * time, or at any time (`all`).
   *
   * With `open`, only todos that are not done. With an `asker`, only what is visible to them.
   */
  structured(given: {
  /** The space. */
  space?: string;
  /** A person's id. */
  person?: string | null;
  /** Only memories of this type. */
  type?: "fact" | "preference" | "decision" | "todo" | "entity" | null;
  /** `now`, `all`, or a time: 2026-03-01T09:30:00+09:00. */
  valid?: string;
  open?: boolean;
  /** A person's id. */
  asker?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<FactsStructuredAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/structured", "query": ["person", "type", "valid", "open", "asker", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List facts that changed, with old and new value, each with its sources, in the order of the changes.
   * List facts that changed, with old and new value, each with its sources, in the order of
   * the changes.
   */
  changes(given: {
  /** The space. */
  space?: string;
  /** A person's id. */
  person?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<FactsChangesAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/changes", "query": ["person", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }
}

export class IdsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the first ids that begin with these characters: of messages, of memories (also deleted ones), or of requests.
   * List the first ids that begin with these characters: of messages, of memories (also deleted
   * ones), or of requests.
   */
  resolve(given: {
  /** The first characters of an id. */
  prefix: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<IdsResolveAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/ids/{prefix}", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }
}

export class JobsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the jobs of one space or of all.
   * List the jobs of one space or of all. Timers (open conversations, the next nightly run)
   * are listed with `state="timer"`.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** Only jobs in this state. */
  state?: "waiting" | "running" | "done" | "parked" | "timer" | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<JobsListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/jobs", "query": ["state", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List the jobs of one space or of all.
   * List the jobs of one space or of all. Timers (open conversations, the next nightly run)
   * are listed with `state="timer"`.
   */
  listEverywhere(given: {
  /** Only jobs in this state. */
  state?: "waiting" | "running" | "done" | "parked" | "timer" | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<JobsListEverywhereAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/jobs", "query": ["state", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count the jobs that are not done, by state and kind.
   * Count the jobs that are not done, by state and kind.
   */
  queue(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<JobsQueueAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/queue", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count the jobs that are not done, by state and kind.
   * Count the jobs that are not done, by state and kind.
   */
  queueEverywhere(options?: Options): Promise<JobsQueueEverywhereAnswer> {
    const given = {};
    return this.transport.send({"method": "GET", "path": "/v1/queue", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Make a job, or every parked job, due now.
   * Make a job, or every parked job, due now. Returns how many.
   */
  retry(given: {
  /** The space. */
  space?: string;
} & Omit<JobsRetryBody, "space">, options?: Options): Promise<JobsRetryAnswer> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/jobs/retry", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Make a job, or every parked job, due now.
   * Make a job, or every parked job, due now. Returns how many.
   */
  retryEverywhere(given: JobsRetryEverywhereBody, options?: Options): Promise<JobsRetryEverywhereAnswer> {
    return this.transport.send({"method": "POST", "path": "/v1/jobs/retry", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Park a job, with a reason, until it is retried.
   * Park a job, with a reason, until it is retried.
   */
  park(given: {
  /** A job's id. */
  job: string;
  /** The space. */
  space?: string;
} & Omit<JobsParkBody, "job" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/jobs/{job}/park", "query": [], "headers": [], "body": true, "answer": "nothing", "again": false} satisfies Call, given, options);
  }

  /**
   * Park a job, with a reason, until it is retried.
   * Park a job, with a reason, until it is retried.
   */
  parkEverywhere(given: {
  /** A job's id. */
  job: string;
} & Omit<JobsParkEverywhereBody, "job">, options?: Options): Promise<void> {
    return this.transport.send({"method": "POST", "path": "/v1/jobs/{job}/park", "query": [], "headers": [], "body": true, "answer": "nothing", "again": false} satisfies Call, given, options);
  }
}

export class NotesResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List notes and topics, newest first.
   * List notes and topics, newest first. A topic of a single note is listed only with
   * `kind="topic"`.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
  /** A day. */
  day?: string | null;
  /** Only notes, or only topics. */
  kind?: "note" | "topic" | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<NotesListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/notes", "query": ["channel", "person", "day", "kind", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show one note or topic, with its topic or its notes, its profile facts and the names of its people.
   * Show one note or topic, with its topic or its notes, its profile facts and the names of
   * its people.
   */
  get(given: {
  /** A memory's id, or a message's. */
  id: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<NoteDetails> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/notes/{id}", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List the days from `since` to `until`, both included, that have notes, with the number of notes.
   * List the days from `since` to `until`, both included, that have notes, with the number of
   * notes.
   */
  days(given: {
  /** The space. */
  space?: string;
  /** A day. */
  since: string;
  /** A day. */
  until: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
}, options?: Options): Promise<NotesDaysAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/noted", "query": ["since", "until", "channel", "person"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List open conversations, and those whose note is being written, the most recently active first.
   * List open conversations, and those whose note is being written, the most recently active
   * first.
   */
  buffers(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<NotesBuffersAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/buffers", "query": ["channel", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Do the nightly run now: group notes without a topic into topics.
   * Do the nightly run now: group notes without a topic into topics. Open conversations stay
   * open.
   *
   * Does nothing in a space that is not remembered.
   */
  nightly(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<Night> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/nightly", "query": [], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }
}

export class PeopleResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the people of a space, the most recently active first.
   * List the people of a space, the most recently active first. Each has their names, the
   * number of stored messages and the time of the last. `matching` is part of an id or name.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** Only these, by their ids. */
  people?: Array<string> | null;
  /** Part of the name or title. */
  matching?: string | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<PeopleListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people", "query": ["people", "matching", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Block a person: their messages are not stored, and what is stored about them is not found.
   * Block a person: their messages are not stored, and what is stored about them is not
   * found. People who blocked themselves (`by`) may unblock themselves.
   */
  block(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<PeopleBlockBody, "person" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/people/{person}/blocked", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * Unblock a person, so that what was stored before is found again.
   * Unblock a person, so that what was stored before is found again. People can't unblock
   * themselves if someone else blocked them.
   */
  unblock(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  /** A person's id. */
  by?: string | null;
}, options?: Options): Promise<void> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/people/{person}/blocked", "query": ["by"], "headers": [], "body": false, "answer": "nothing", "again": false} satisfies Call, given, options);
  }

  /**
   * Set whether the person shares their private channels.
   * Set whether the person shares their private channels. A private channel is visible
   * elsewhere once all its people share.
   */
  share(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<PeopleShareBody, "person" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/people/{person}/shares", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * List a person's own messages over all channels, newest first.
   * List a person's own messages over all channels, newest first.
   */
  messages(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
}, options?: Options): Promise<PeopleMessagesAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}/messages", "query": ["cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show what is remembered about a person: visible to everyone first, then per private channel.
   * Show what is remembered about a person: visible to everyone first, then per private
   * channel.
   */
  remembered(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<PeopleRememberedAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}/remembered", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Show a person's profile in six sections, each fact with its source notes.
   * Show a person's profile in six sections, each fact with its source notes. With `ended`,
   * include facts that are no longer valid.
   */
  profile(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  ended?: boolean;
}, options?: Options): Promise<Profile> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}/profile", "query": ["ended"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Add a fact to a profile by hand.
   * Add a fact to a profile by hand. Only a person can change it. Adding it again changes
   * nothing.
   */
  addToProfile(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<PeopleAddToProfileBody, "person" | "space">, options?: Options): Promise<ProfileFact> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/people/{person}/profile", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Delete all facts of a profile and return how many.
   * Delete all facts of a profile and return how many. They are not extracted again from past
   * messages.
   */
  deleteProfile(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
  /** Who makes the change. */
  by?: string | null;
}, options?: Options): Promise<PeopleDeleteProfileAnswer> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/people/{person}/profile", "query": ["by"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Import profile facts from another system: lines, or `{"text", "section", "at"}` of which only the text is required.
   * Import profile facts from another system: lines, or `{"text", "section", "at"}` of which
   * only the text is required. Returns how many are new.
   */
  importProfile(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
} & Omit<PeopleImportProfileBody, "person" | "space">, options?: Options): Promise<PeopleImportProfileAnswer> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/people/{person}/profile/import", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Export a profile as JSON data: every fact, ended ones included, with its author, notes and their messages.
   * Export a profile as JSON data: every fact, ended ones included, with its author, notes
   * and their messages.
   */
  exportProfile(given: {
  /** A person's id. */
  person: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<Record<string, unknown>> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/people/{person}/profile/export", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }
}

export class PromptsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List the current prompts of a person or of the space.
   * List the current prompts of a person or of the space.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** A person's id. */
  person?: string | null;
} = {}, options?: Options): Promise<PromptsListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/prompts", "query": ["person"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Set a prompt for the space, or for one person in it.
   * Set a prompt for the space, or for one person in it. It takes effect with the next
   * job.
   */
  set(given: {
  /** The prompt's name. */
  name: string;
  /** The space. */
  space?: string;
} & Omit<PromptsSetBody, "name" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PUT", "path": "/v1/spaces/{space}/prompts/{name}", "query": [], "headers": [], "body": true, "answer": "nothing", "again": true} satisfies Call, given, options);
  }

  /**
   * Reset a prompt to the default.
   * Reset a prompt to the default. Returns whether another one was set.
   */
  reset(given: {
  /** The prompt's name. */
  name: string;
  /** The space. */
  space?: string;
  /** A person's id. */
  person?: string | null;
}, options?: Options): Promise<PromptsResetAnswer> {
    return this.transport.send({"method": "DELETE", "path": "/v1/spaces/{space}/prompts/{name}", "query": ["person"], "headers": [], "body": false, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Try a prompt on a range of messages.
   * Try a prompt on a range of messages. Shows its result beside what is stored; stores
   * nothing.
   *
   * The prompt is summarise, condense (for a meta summary), extract, structure or fold. Without
   * instructions, the current prompt is used. Its usage is recorded as `preview`.
   */
  preview(given: {
  /** The channel. */
  channel: string;
  /** The space. */
  space?: string;
} & Omit<PromptsPreviewBody, "channel" | "space">, options?: Options): Promise<Preview> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/channels/{channel}/preview", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }
}

export class RequestsResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List requests, newest first.
   * List requests, newest first. `words` must occur literally in the question.
   */
  list(given: {
  /** The space. */
  space?: string;
  /** The channel. */
  channel?: string | null;
  /** A person's id. */
  person?: string | null;
  /** What was asked. */
  op?: "context" | "ask" | "search" | null;
  /** A note; may be empty. */
  words?: string;
  /** Only those with feedback, that failed, …; `real`: no trials. */
  only?: "feedback" | "failed" | "truncated" | "empty" | "trial" | "real" | null;
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<RequestsListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/requests", "query": ["channel", "person", "op", "words", "only", "cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Explain how a request was answered: every candidate, its score, and why it was kept or not.
   * Explain how a request was answered: every candidate, its score, and why it was kept or
   * not.
   */
  explain(given: {
  /** A request's id. */
  request: string;
  /** The space. */
  space?: string;
}, options?: Options): Promise<Explanation> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/requests/{request}", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Mark a request as one where something was missed.
   * Mark a request as one where something was missed. A second time changes the note.
   */
  feedback(given: {
  /** A request's id. */
  request: string;
  /** The space. */
  space?: string;
} & Omit<RequestsFeedbackBody, "request" | "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/requests/{request}/feedback", "query": [], "headers": [], "body": true, "answer": "nothing", "again": false} satisfies Call, given, options);
  }

  /**
   * Report usage and quality figures of the last days, including today.
   * Report usage and quality figures of the last days, including today.
   */
  report(given: {
  /** The space. */
  space?: string;
  /** The last days, today included. */
  days?: number;
} = {}, options?: Options): Promise<Report> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/report", "query": ["days"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * List each figure that has a threshold, and what to turn on when the figure passes it.
   * List each figure that has a threshold, and what to turn on when the figure passes it.
   */
  recommendations(given: {
  /** The space. */
  space?: string;
  /** The last days, today included. */
  days?: number;
} = {}, options?: Options): Promise<RequestsRecommendationsAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/recommendations", "query": ["days"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }
}

export class SpacesResource {
  constructor(private readonly transport: Transport) {}

  /**
   * List every space that has messages, by name.
   * List every space that has messages, by name.
   */
  list(given: {
  /** `next` of the previous page. */
  cursor?: string | null;
  /** The maximum number of items. */
  limit?: number;
} = {}, options?: Options): Promise<SpacesListAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces", "query": ["cursor", "limit"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count the messages, channels, people and memories of a space, in total and by day.
   * Count the messages, channels, people and memories of a space, in total and by day.
   *
   * `days` are the last days, including today; 0 is all time, in steps of a few days.
   */
  counts(given: {
  /** The space. */
  space?: string;
  /** How many days to count one by one, including today; 0 is all time. */
  days?: number;
} = {}, options?: Options): Promise<SpaceCounts> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/counts", "query": ["days"], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Count the flagged memories that nobody has reviewed yet, by reason.
   * Count the flagged memories that nobody has reviewed yet, by reason.
   */
  flags(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<SpacesFlagsAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/flagged/counts", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Set the settings of a space.
   * Set the settings of a space. Omitted settings stay; "" resets a setting to the default.
   * An api_key is stored encrypted.
   *
   * Over HTTP, `base_url` needs an admin key; so does a model while the space has no api_key of
   * its own, because the server's key is used: reset models together with their key.
   */
  configure(given: {
  /** The space. */
  space?: string;
} & Omit<SpacesConfigureBody, "space">, options?: Options): Promise<void> {
    return this.transport.send({"method": "PATCH", "path": "/v1/spaces/{space}/configuration", "query": [], "headers": [], "body": true, "answer": "nothing", "again": false} satisfies Call, given, options);
  }

  /**
   * List the effective settings of a space, and who set each.
   * List the effective settings of a space, and who set each. Of an api_key it only shows
   * whether it is set.
   */
  configuration(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<SpacesConfigurationAnswer> {
    return this.transport.send({"method": "GET", "path": "/v1/spaces/{space}/configuration", "query": [], "headers": [], "body": false, "answer": "json", "again": true} satisfies Call, given, options);
  }

  /**
   * Check a model of the space with one short question.
   * Check a model of the space with one short question. Failures are returned, not raised.
   * Usage is recorded as `try`.
   */
  tryModel(given: {
  /** The space. */
  space?: string;
} & Omit<SpacesTryModelBody, "space">, options?: Options): Promise<ModelCheck> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/models/try", "query": [], "headers": [], "body": true, "answer": "json", "again": false} satisfies Call, given, options);
  }

  /**
   * Delete all derived memories of a space and make them again from the log, by `settle` or a worker.
   * Delete all derived memories of a space and make them again from the log, by `settle` or a
   * worker.
   */
  rebuild(given: {
  /** The space. */
  space?: string;
} = {}, options?: Options): Promise<void> {
    return this.transport.send({"method": "POST", "path": "/v1/spaces/{space}/rebuild", "query": [], "headers": [], "body": false, "answer": "nothing", "again": false} satisfies Call, given, options);
  }
}

/** The resources of a server; each method is one operation of its API. */
export class Resources {
  readonly health: HealthResource;
  readonly keys: KeysResource;
  readonly channel: ChannelResource;
  readonly memories: MemoriesResource;
  readonly memory: MemoryResource;
  readonly archive: ArchiveResource;
  readonly events: EventsResource;
  readonly channels: ChannelsResource;
  readonly facts: FactsResource;
  readonly ids: IdsResource;
  readonly jobs: JobsResource;
  readonly notes: NotesResource;
  readonly people: PeopleResource;
  readonly prompts: PromptsResource;
  readonly requests: RequestsResource;
  readonly spaces: SpacesResource;

  constructor(transport: Transport) {
    this.health = new HealthResource(transport);
    this.keys = new KeysResource(transport);
    this.channel = new ChannelResource(transport);
    this.memories = new MemoriesResource(transport);
    this.memory = new MemoryResource(transport);
    this.archive = new ArchiveResource(transport);
    this.events = new EventsResource(transport);
    this.channels = new ChannelsResource(transport);
    this.facts = new FactsResource(transport);
    this.ids = new IdsResource(transport);
    this.jobs = new JobsResource(transport);
    this.notes = new NotesResource(transport);
    this.people = new PeopleResource(transport);
    this.prompts = new PromptsResource(transport);
    this.requests = new RequestsResource(transport);
    this.spaces = new SpacesResource(transport);
  }
}
