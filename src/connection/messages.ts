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

/** What the server says over the `live` WebSocket. */
export type ServerMessage =
  | Hello
  | RunChanged
  | RunEvent
  | EventsLost
  | Attached
  | Operations
  | DiskChanged
  | Resync
  | Moved
  | Wanted;

/** What the browser says over it; commands go over REST. */
export type ClientMessage = Attach | Ack | Edited | Settled | Detach;

const KNOWN: ReadonlySet<string> = new Set<ServerMessage['type']>([
  'hello',
  'run',
  'event',
  'events_lost',
  'attached',
  'ops',
  'disk',
  'resync',
  'moved',
  'wanted'
]);

/** The message in `data`, or null for what this page does not understand. */
export function parseMessage(data: unknown): ServerMessage | null {
  if (typeof data !== 'string') {
    return null;
  }
  try {
    const message: unknown = JSON.parse(data);
    return isMessage(message) ? message : null;
  } catch {
    return null;
  }
}

function isMessage(message: unknown): message is ServerMessage {
  if (typeof message !== 'object' || message === null) {
    return false;
  }
  const { type } = message as { type?: unknown };
  return typeof type === 'string' && KNOWN.has(type);
}
