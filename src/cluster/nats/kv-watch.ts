import { randomUUID } from 'node:crypto'
import { AckPolicy, type ConsumerConfig, DeliverPolicy, jetstreamManager } from '@nats-io/jetstream'
import { type Msg, nanos } from '@nats-io/nats-core'
import { bucketStream, isRemoval, type KvEntry, keyPrefix } from './kv.ts'
import type { Line, Stop } from './line.ts'

export interface KvWatchLimits {
  /** Without an entry for so long it is opened anew: own renewals echo here, so silence means a dead watch. ms */
  readonly silenceMs: number
  /** Opening must be done within this. ms */
  readonly callTimeoutMs: number
  /** Wait after an opening that failed. ms */
  readonly retryMs: number
}

export interface KvWatcher {
  /** The newest value of a key, in the order of the bucket; undefined: it was removed. */
  onEntry(key: string, entry: KvEntry | undefined, revision: number): void
  /** Everything that stood there when the watch was opened, or opened anew, has been told. */
  onCurrent(): void
  /** Nothing is known of the present from now on, until `onCurrent`. */
  onStalled(): void
}

/** Status of a message that only says that the delivery is alive. */
const HEARTBEAT = 100

/**
 * Follows the keys with these prefixes ("n.", "a."). What delivers lives on one server and may die without a word:
 * a gap in its numbers, or silence, and it is opened anew, which tells every key again. It is only a hint of what
 * stands there; who acts on it reads from the leader first.
 */
export function watchKeys(
  line: Line,
  wanted: {
    bucket: string
    prefixes: readonly string[]
    inboxPrefix: string
    limits: KvWatchLimits
  },
  watcher: KvWatcher,
): KvWatch {
  const watch = new KvWatch(line, wanted, watcher)
  watch.open()
  return watch
}

/** A watch that is open until it is stopped. */
export class KvWatch {
  readonly #line: Line
  readonly #wanted: Parameters<typeof watchKeys>[1]
  readonly #watcher: KvWatcher
  #opening = 0
  #delivered = 0
  #isCurrent = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: Stop = () => undefined

  constructor(line: Line, wanted: Parameters<typeof watchKeys>[1], watcher: KvWatcher) {
    this.#line = line
    this.#wanted = wanted
    this.#watcher = watcher
  }

  /** Opens it, or opens it anew: every key is told again. */
  open(): void {
    if (this.#isStopped) return
    this.#unsubscribe()
    this.#opening++
    this.#delivered = 0
    this.#isCurrent = false
    this.#wait(this.#wanted.limits.silenceMs)
    const opening = this.#opening
    this.#subscribe(opening).catch(() => {
      if (opening === this.#opening) this.#wait(this.#wanted.limits.retryMs)
    })
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#isStopped = true
    this.#opening++
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  async #subscribe(opening: number): Promise<void> {
    const { bucket, limits, inboxPrefix } = this.#wanted
    const inbox = this.#line.newInbox(inboxPrefix)
    this.#unsubscribe = this.#line.subscribe(inbox, (message) => {
      if (opening === this.#opening) this.#take(message)
    })
    const options = { checkAPI: false, timeout: limits.callTimeoutMs }
    const manager = await jetstreamManager(this.#line.connection, options)
    const made = await manager.consumers.add(bucketStream(bucket), this.#configuration(inbox))
    if (opening === this.#opening && made.num_pending === 0 && made.delivered.consumer_seq === 0) {
      this.#becomeCurrent()
    }
  }

  #configuration(inbox: string): ConsumerConfig {
    const { bucket, prefixes, limits } = this.#wanted
    return {
      name: `W${randomUUID().replaceAll('-', '')}`,
      deliver_subject: inbox,
      deliver_policy: DeliverPolicy.LastPerSubject,
      filter_subjects: prefixes.map((prefix) => `${keyPrefix(bucket)}${prefix}>`),
      ack_policy: AckPolicy.None,
      idle_heartbeat: nanos(limits.silenceMs),
      // The server removes it once nobody has listened for so long.
      inactive_threshold: nanos(limits.silenceMs),
      mem_storage: true,
      num_replicas: 1,
    } as ConsumerConfig
  }

  #take(message: Msg): void {
    if (message.headers?.code === HEARTBEAT) {
      this.#checkCount(Number(message.headers.get('Nats-Last-Consumer') || this.#delivered))
      return
    }
    const place = parsePlace(message.reply ?? '')
    if (place === undefined) return
    if (place.delivery !== this.#delivered + 1) return this.#stall()
    this.#delivered = place.delivery
    this.#wait(this.#wanted.limits.silenceMs)
    this.#tell(message, place.revision)
    if (place.pending === 0) this.#becomeCurrent()
  }

  #tell(message: Msg, revision: number): void {
    const key = message.subject.slice(keyPrefix(this.#wanted.bucket).length)
    const operation = message.headers?.get('KV-Operation') ?? ''
    const isGone = isRemoval(`KV-Operation: ${operation}`)
    const entry = isGone ? undefined : { bytes: message.data, revision }
    this.#watcher.onEntry(key, entry, revision)
  }

  #checkCount(sent: number): void {
    if (sent !== this.#delivered) this.#stall()
  }

  #becomeCurrent(): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    this.#watcher.onCurrent()
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#stall(), ms)
  }

  #stall(): void {
    if (this.#isStopped) return
    this.#watcher.onStalled()
    this.open()
  }
}

/** Of a delivery: `$JS.ACK.<stream>.<consumer>.<times>.<stream seq>.<consumer seq>.<time>.<pending>`. */
function parsePlace(reply: string) {
  const tokens = reply.split('.')
  if (tokens.length < 9 || tokens[0] !== '$JS' || tokens[1] !== 'ACK') return undefined
  // Later servers put a domain and a hash of the account in front, and one more token behind.
  const at = tokens.length >= 11 ? 2 : 0
  const number = (index: number) => Number(tokens[index + at])
  return { revision: number(5), delivery: number(6), pending: number(8) }
}
