// The client of erstwhile: `new Erstwhile({ url, key, space })`.

import { Resources } from "./generated.js";
import { type ClientOptions, Transport } from "./transport.js";

export * from "./generated.js";
export { type ClientOptions, ErstwhileError, type Options, type ServerEvent } from "./transport.js";

/** A server's memory. `memory.channel.add({ channel, role, text, person })` stores a message. */
export class Erstwhile extends Resources {
  constructor(options: ClientOptions = {}) {
    super(new Transport(options));
  }
}
