import t, { type Test } from 'tap'
import { AccountFeed, type FeedLimits } from '../../../http/gateway/account-feed.ts'
import type { EventStream } from '../../../http/message/reply.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { FakeJournal, JournalLink } from '../fixtures/fake-journal.ts'
import { NOW_MS } from '../fixtures/fake-service.ts'

const LIMITS: FeedLimits = {
  sseClientsMax: 9,
  sseClientsPerTokenMax: 9,
  sseIntervalMs: 5,
  sseSilenceMs: 60_000,
  sseMissedMax: 2,
  sseKeptMax: 3,
  sseEntriesMax: 4,
  sseGatherMs: 1,
  retryAfterSeconds: 1,
  readTimeoutMs: 1_000,
}

interface Event {
  readonly [name: string]: unknown
  readonly entries?: readonly { readonly summary: string }[]
}

/** The write side of one client, kept by the test. */
class FakeStream implements EventStream {
  readonly events: Event[] = []
  /** Of the last event that had one. */
  id = ''
  isEnded = false
  keepsUp = true
  #drained: () => void = () => {}
  #closed: () => void = () => {}
  #waiting: (() => void)[] = []

  write(text: string): boolean {
    for (const block of text.split('\n\n')) {
      if (block.startsWith('data: ')) this.events.push(JSON.parse(block.slice(6)))
      if (block.startsWith('id: ')) this.id = block.slice(4)
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
    return this.keepsUp
  }
  onDrain(drained: () => void): void {
    this.#drained = drained
  }
  onClose(closed: () => void): void {
    this.#closed = closed
  }
  end(): void {
    this.isEnded = true
    this.#closed()
  }
  drain(): void {
    this.keepsUp = true
    this.#drained()
  }
  /** Until it has heard of so many entries. */
  async heard(count: number): Promise<readonly string[]> {
    while (this.summaries.length < count) await this.#next(`entry ${count} of a stream`)
    return this.summaries
  }
  async until(count: number): Promise<void> {
    while (this.events.length < count) await this.#next(`event ${count} of a stream`)
  }
  get summaries(): readonly string[] {
    return this.events.flatMap(({ entries }) => (entries ?? []).map(({ summary }) => summary))
  }
  #next(what: string): Promise<void> {
    const coming = new Promise<void>((resolve) => this.#waiting.push(resolve))
    return inTime(coming, what)
  }
}

/** A gateway: a feed of its own of the same account. */
function gateway(t: Test, link: JournalLink, limits: Partial<FeedLimits> = {}) {
  const feed = new AccountFeed({
    clock: { nowMs: () => NOW_MS },
    limits: { ...LIMITS, ...limits },
    find: () => link,
    isStillGood: () => true,
  })
  t.teardown(() => feed.close())
  const join = (lastId?: string): FakeStream => {
    const stream = new FakeStream()
    const headers = new Map(lastId === undefined ? [] : [['last-event-id', lastId]])
    const caller = { name: '', scope: 'view' as const, accounts: undefined }
    feed.open({ caller, headers }).stream(stream)
    return stream
  }
  const add = (...texts: readonly string[]): void => {
    for (const text of texts) link.journal.add(text)
    link.version += 1
  }
  return { feed, link, join, add }
}

t.test(
  'F170 each entry once and in order, to all who listen, also where no news of it come',
  async (t) => {
    const { join, add } = gateway(t, new JournalLink('A'))
    add('before')
    const first = join()
    await first.until(1)
    t.match(first.events[0], { journal_seq: 1, entries: undefined, resync: undefined })
    add('one', 'two')
    await first.heard(2)
    const second = join()
    await second.until(1)
    add('three')
    t.strictSame(await first.heard(3), ['one', 'two', 'three'])
    t.strictSame(await second.heard(1), ['three'])
    t.match(first.events.at(-1), { journal_seq: 4, positions_update: { changed: false } })
    t.match(first.id, /^4-[0-9a-f]{8}$/)
    t.equal(first.id, second.id)
  },
)

t.test('what the market moves by itself is passed over', async (t) => {
  const { join, add, link } = gateway(t, new JournalLink('A'))
  const stream = join()
  await stream.until(1)
  link.journal.add('a new high', 'holdingChanged', 'market')
  link.version += 1
  add('one')
  t.strictSame(await stream.heard(1), ['one'])
  t.equal(stream.events.at(-1)?.['journal_seq'], 2)
})

t.test('F193 the id of one gateway is good at another, of another process', async (t) => {
  const journal = new FakeJournal()
  const one = gateway(t, new JournalLink('A', journal))
  one.add('one')
  const stream = one.join()
  await stream.until(1)
  one.add('two')
  await stream.heard(1)
  stream.end()
  for (const text of ['three', 'four']) journal.add(text)
  const other = gateway(t, new JournalLink('A', journal))
  const back = other.join(stream.id)
  t.strictSame(await back.heard(2), ['three', 'four'])
  other.add('five')
  t.strictSame(await back.heard(3), ['three', 'four', 'five'])
  const again = other.join(back.id)
  await again.until(1)
  t.match(again.events, [{ entries: undefined, resync: undefined }], 'it has missed nothing')
  t.equal(again.events.length, 1)
})

t.test('F194 who has missed what nobody can tell is told to read anew', async (t) => {
  const { join, add } = gateway(t, new JournalLink('A'))
  const first = join()
  await first.until(1)
  add('one')
  await first.heard(1)
  const old = first.id
  add('two', 'three', 'four')
  await first.heard(4)
  add('five', 'six', 'seven')
  await first.heard(7)
  const near = first.id.replace(/^7/, '6').replace(/-.*/, '-')
  const refused = [
    ['too far back', old],
    ['of other books', '6-00000000'],
    ['of what is still to come', '8-00000000'],
    ['of an earlier release', '5f1d3a90c2b4-17'],
    ['nothing at all', 'x'],
  ] as const
  for (const [what, id] of refused) {
    const back = join(id)
    await back.until(1)
    t.match(back.events[0], { resync: true, entries: undefined, journal_seq: 7 }, what)
    t.equal(back.id, first.id, what)
    back.end()
  }
  t.strictSame(await join(near).heard(1), ['seven'], 'without the digits')
})

t.test('F194 other books in the place of those that were followed are noticed', async (t) => {
  const journal = new FakeJournal()
  const { join, add, link } = gateway(t, new JournalLink('A', journal))
  for (const text of ['one', 'two', 'three']) journal.add(text)
  const stream = join()
  await stream.until(1)
  journal.entries = journal.entries.slice(0, 1) // a backup was put back
  link.version += 1
  await stream.until(2)
  t.match(stream.events[1], { resync: true, journal_seq: 1 })
  add('another two', 'another three')
  t.strictSame(await stream.heard(2), ['another two', 'another three'])

  journal.entries = journal.entries.slice(0, 1)
  add('a third two', 'a third three', 'a third four') // and has grown beyond it by now
  await turnsUntil(() => stream.events.at(-1)?.['journal_seq'] === 4, 'the end of the other books')
  t.equal(stream.events.at(-1)?.['resync'], true)
  t.strictSame(stream.summaries, ['another two', 'another three'])
})

const said = (text: string): string => `服务内部错误，详情见日志 (${text})`

t.test('while the account cannot be asked that is said, and nothing is lost by it', async (t) => {
  const journal = new FakeJournal()
  journal.add('one')
  const { join, add, link } = gateway(t, new JournalLink('A', journal), { sseSilenceMs: 1 })
  const first = join()
  await first.until(1)
  const { id } = first
  link.before = () => {
    throw new Error('nobody runs it')
  }
  await turnsUntil(() => first.events.at(-1)?.['error'] === said('nobody runs it'), 'the error')
  const back = join(id)
  await back.until(1)
  t.strictSame(
    [back.events[0]?.['error'], back.id],
    [said('nobody runs it'), ''],
    'no place is named',
  )
  add('two')
  link.isJournalAway = true
  link.before = () => undefined
  await turnsUntil(
    () => back.events.at(-1)?.['error'] === '账户正在启动或重启，请稍后再试 (the journal is away)',
    'that error',
  )
  link.isJournalAway = false
  for (const stream of [first, back]) t.strictSame(await stream.heard(1), ['two'])
  t.notOk([...first.events, ...back.events].some(({ resync }) => resync))
})

t.test('a client that does not read for a while gets all of it, or is told', async (t) => {
  const { join, add, link } = gateway(t, new JournalLink('A'), { sseMissedMax: 1_000 })
  const [slow, quick] = [join(), join()]
  for (const stream of [slow, quick]) await stream.until(1)
  slow.keepsUp = false
  add('one')
  await slow.heard(1)
  add('two')
  await quick.heard(2)
  add('three')
  await quick.heard(3)
  slow.drain()
  link.texts.v1Status = '{"data":{"ready":true}}'
  link.version += 1
  t.strictSame(await slow.heard(3), ['one', 'two', 'three'])

  slow.keepsUp = false
  add('four')
  await slow.heard(4)
  for (const count of [5, 6, 7, 8, 9]) {
    add(`${count}`)
    await quick.heard(count)
  }
  slow.drain()
  link.texts.v1Status = '{"data":{"ready":false}}'
  link.version += 1
  await turnsUntil(() => slow.events.at(-1)?.['resync'] === true, 'that it has missed some')
  t.equal(slow.summaries.length, 4)
})

t.test('news make it look at once, and nobody listens for them without a client', async (t) => {
  const { join, add, link } = gateway(t, new JournalLink('A'), { sseIntervalMs: 60_000 })
  const [one, two] = [join(), join()]
  for (const stream of [one, two]) await stream.until(1)
  t.equal(link.listeners.size, 1)
  add('one')
  for (const listener of link.listeners) for (let i = 0; i < 3; i++) listener()
  t.strictSame(await one.heard(1), ['one'])
  one.end()
  t.equal(link.listeners.size, 1)
  two.end()
  t.equal(link.listeners.size, 0)
})

t.test('an account in which nothing has happened is asked one thing', async (t) => {
  const { join, link } = gateway(t, new JournalLink('A'))
  const kinds: string[] = []
  link.before = (kind) => void kinds.push(kind)
  const stream = join()
  await stream.until(1)
  const asked = link.asked.length
  kinds.length = 0
  await turnsUntil(() => kinds.length > 3, 'more looks')
  link.dataVersion += 1 // prices have moved
  await stream.until(2)
  t.match(stream.events[1]?.['positions_update'], { version: 59, changed: true })
  t.strictSame([...new Set(kinds)], ['v1Status'])
  t.equal(link.asked.length, asked)
})
