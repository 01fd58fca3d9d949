/** One event of a feed, before it is known whether it is a change for the client that gets it. */
export interface FeedEvent {
  /** 1, 2, 3 … within the feed. */
  readonly seq: number
  /** When it was made, exchange time. */
  readonly timestamp: string
  readonly fields: Readonly<Record<string, unknown>>
  /** `data_version` of the positions; −1 when the account could not be asked. */
  readonly version: number
}

const ID = /^([0-9a-f]+)-(\d{1,15})$/

/** The last events of a feed, for clients that come back; and their text, made once for all clients. */
export class EventMemory {
  readonly #feedId: string
  readonly #keptMax: number
  #events: FeedEvent[] = []
  #seq = 0
  #frames = new Map<boolean, string>()
  #framesOf: FeedEvent | undefined

  constructor(feedId: string, keptMax: number) {
    this.#feedId = feedId
    this.#keptMax = keptMax
  }

  get newest(): FeedEvent | undefined {
    return this.#events.at(-1)
  }

  add(event: Omit<FeedEvent, 'seq'>): FeedEvent {
    this.#seq += 1
    const added = { seq: this.#seq, ...event }
    this.#events.push(added)
    if (this.#events.length > this.#keptMax) this.#events.shift()
    return added
  }

  /**
   * The events after the one with this id, and the version that the client knows from it. Undefined
   * when that is not known any more, or never was: then the newest event alone tells the client all.
   */
  after(id: string): { events: readonly FeedEvent[]; version: number } | undefined {
    const [, feedId, seq] = ID.exec(id) ?? []
    if (feedId !== this.#feedId) return undefined
    const index = this.#events.findIndex((event) => event.seq === Number(seq))
    const had = this.#events[index]
    if (had === undefined || had.version < 0) return undefined
    return { events: this.#events.slice(index + 1), version: had.version }
  }

  /**
   * The text of an event: a block with `data` on one line and nothing else, which every reader understands,
   * then a block with the id alone. The latter is no event to an `EventSource`, which remembers the id all the
   * same; after the data, so that a client that is cut off between the two gets the event again instead of never.
   */
  frame(event: FeedEvent, isChanged: boolean): string {
    if (this.#framesOf !== event) this.#frames.clear()
    this.#framesOf = event
    const made = this.#frames.get(isChanged) ?? this.#make(event, isChanged)
    this.#frames.set(isChanged, made)
    return made
  }

  #make({ seq, timestamp, fields, version }: FeedEvent, changed: boolean): string {
    const update = version < 0 ? {} : { positions_update: { version, changed } }
    const data = JSON.stringify({ timestamp, ...fields, ...update })
    return `data: ${data}\n\nid: ${this.#feedId}-${seq}\n\n`
  }
}
