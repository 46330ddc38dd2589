import type {
  Ack,
  Attach,
  Attached,
  Detach,
  DiskChanged,
  Edited,
  EventsLost,
  Hello,
  Moved,
  Operations,
  Resync,
  RunChanged,
  RunEvent,
  Settled,
  Wanted
} from '../protocol';

/** What the server says of runs over the `live` WebSocket. */
export type RunMessage = Hello | RunChanged | RunEvent | EventsLost;

/** What it says of one notebook that is open here. */
export type NotebookMessage =
  Attached | Operations | DiskChanged | Resync | Moved | Wanted;

export type ServerMessage = RunMessage | NotebookMessage;

/** What the browser says over it; commands go over REST. */
export type ClientMessage = Attach | Ack | Edited | Settled | Detach;
