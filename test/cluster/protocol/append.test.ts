import t from 'tap'
import {
  type AppendEffect,
  type AppendInput,
  type AppendState,
  DEFAULT_APPEND_LIMITS,
  startAppend,
  stepAppend,
} from '../../../src/cluster/protocol/append.ts'
import type { Owned } from '../../../src/cluster/protocol/claim-state.ts'
import { type Commit, type Gathering, gather } from '../../../src/cluster/protocol/commits.ts'
import { type JournalRecord, parseJournalRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, hash, tailOf, uuid } from './fixtures/values.ts'

const OWNED: Owned = {
  acct: 'acct-1',
  e: 3,
  n: 10,
  seq: 100,
  hash: hash(100),
  since: 7,
  open: [],
  former: undefined,
}
const SELF = { node: 'n1', inc: uuid(1) }

class Pen {
  state: AppendState = startAppend(OWNED, SELF, DEFAULT_TIMING)
  effects: readonly AppendEffect[] = []
  #rids = 0

  feed(input: AppendInput, monoMs = 0): this {
    this.#rids += 1
    const moment = { ...at(monoMs), rid: uuid(this.#rids) }
    const { state, effects } = stepAppend(this.state, input, moment)
    this.state = state
    this.effects = effects
    return this
  }
  submit(ticket: number, fields: Partial<Commit> = {}): this {
    const bytes = new Uint8Array([ticket % 256])
    const commit = { ticket, number: ticket, bytes, opens: [], closes: [], ...fields }
    return this.feed({ is: 'submit', commit })
  }
  appended(seq: number): this {
    return this.feed({ is: 'appended', call: this.state.call, seq, hash: hash(seq) })
  }
  failed(why: 'conflict' | 'ambiguous' | 'unavailable' = 'conflict', monoMs = 0): this {
    return this.feed({ is: 'failed', call: this.state.call, why }, monoMs)
  }
  tail(seq: number, fields: Partial<JournalRecord> = {}, monoMs = 0): this {
    return this.feed({ is: 'tail', call: this.state.call, tail: tailOf(seq, fields) }, monoMs)
  }
  get does(): readonly string[] {
    return this.effects.map((effect) => effect.do)
  }
  get sent(): JournalRecord | undefined {
    return this.state.batch?.record
  }
}

t.test('a commit goes at once, and is told when it stands', async (t) => {
  const pen = new Pen().submit(1, { opens: [{ id: 'a', deadlineMs: 9 }] })
  const record: JournalRecord = {
    rid: uuid(1),
    fmt: 1,
    e: 3,
    n: 11,
    node: 'n1',
    inc: uuid(1),
    since: 7,
    prev: hash(100),
    open: [{ id: 'a', deadlineMs: 9 }],
    body: { t: 'commits', commits: [new Uint8Array([1])] },
  }
  const call = { call: 1, acct: 'acct-1', timeoutMs: 1_000 }
  t.strictSame(pen.effects, [{ do: 'append', ...call, record, expectedSeq: 100 }])
  pen.appended(105)
  t.strictSame(pen.effects, [{ do: 'appended', tickets: [1], seq: 105, hash: hash(105) }])
  pen.submit(2, { closes: ['a'] })
  t.match(pen.effects, [{ do: 'append', expectedSeq: 105, record: { n: 12, prev: hash(105) } }])
  t.strictSame(pen.sent?.open, [])
})

t.test('one record is on its way; what comes meanwhile goes together, up to 16', async (t) => {
  const pen = new Pen()
  for (let ticket = 1; ticket <= 20; ticket++) pen.submit(ticket)
  t.strictSame(pen.effects, [])
  pen.appended(101)
  t.strictSame(
    pen.state.batch?.tickets,
    Array.from({ length: 16 }, (_, i) => i + 2),
  )
  pen.appended(102)
  t.strictSame(pen.state.batch?.tickets, [18, 19, 20])
})

t.test('a record has a size', async (t) => {
  const half = new Uint8Array(DEFAULT_APPEND_LIMITS.recordBytesMax / 2)
  const pen = new Pen().submit(1)
  for (const ticket of [2, 3, 4]) pen.submit(ticket, { bytes: half })
  const batches: (readonly number[])[] = []
  for (let seq = 101; pen.state.batch !== undefined; seq++) {
    batches.push(pen.state.batch.tickets)
    pen.appended(seq)
  }
  t.strictSame(batches, [[1], [2, 3], [4]])
})

const MAX = DEFAULT_APPEND_LIMITS.recordBytesMax
const LONG = Uint8Array.from({ length: 2 * MAX + 3 }, (_, i) => i % 251)

t.test(
  'F204 what one record has no room for goes in parts, and counts with the last',
  async (t) => {
    const opens = [{ id: 'a', deadlineMs: 9 }]
    const pen = new Pen()
      .submit(1)
      .submit(2, { bytes: LONG, opens })
      .submit(3)
      .feed({ is: 'release' })
    const told: (readonly number[])[] = []
    const records: JournalRecord[] = []
    let gathering: Gathering | undefined
    const whole: Uint8Array[] = []
    for (let seq = 101; pen.sent !== undefined; seq++) {
      const gathered = gather(gathering, pen.sent)
      gathering = gathered.gathering
      whole.push(...gathered.commits)
      records.push(pen.sent)
      pen.failed('ambiguous').tail(seq, pen.sent)
      told.push(pen.effects.flatMap((effect) => (effect.do === 'appended' ? effect.tickets : [])))
    }
    const kinds = records.map(({ body }) =>
      body.t === 'part' ? `${body.index}/${body.count}` : body.t,
    )
    t.strictSame(
      kinds,
      ['commits', '0/3', '1/3', '2/3', 'commits', 'release'],
      'nothing comes between',
    )
    t.strictSame(told, [[1], [], [], [2], [3], []])
    t.strictSame(
      records.map(({ open }) => open.length),
      [0, 0, 0, 1, 1, 1],
      'an order is open once all of its decision stands',
    )
    for (const record of records) t.ok(parseJournalRecord(record).ok)
    t.equal(Buffer.compare(whole[1] ?? LONG.subarray(1), LONG), 0)
    t.equal(pen.state.phase, 'released')
  },
)

t.test('F204 who is overtaken between two parts has decided nothing', async (t) => {
  const pen = new Pen().submit(1, { bytes: LONG }).submit(2).appended(101).failed('conflict')
  pen.tail(102, { e: 4, rid: uuid(800) })
  t.strictSame(pen.effects, [{ do: 'fenced', tickets: [1, 2], why: 'overtaken' }])
})

const refusal = (ticket: number, why: 'refused' | 'too_long' = 'refused') => ({
  do: 'refused',
  ticket,
  why,
})

t.test('F422 nothing is taken that was decided on top of what was refused', async (t) => {
  const queueMax = 1
  for (const first of ['full', 'too_long', 'the first of all'] as const) {
    const pen = new Pen()
    pen.state = { ...pen.state, limits: { ...pen.state.limits, queueMax, commitBytesMax: 9 } }
    const refused = first === 'the first of all' ? 1 : 3
    if (refused > 1) pen.submit(1).submit(2)
    const bytes = new Uint8Array(first === 'full' ? 1 : 10)
    const why = first === 'full' ? 'refused' : 'too_long'
    t.strictSame(pen.submit(refused, { bytes }).effects, [refusal(refused, why)], first)
    if (refused > 1) pen.appended(101).appended(102)
    t.equal(pen.state.phase, 'ready')
    t.strictSame(pen.submit(refused + 1).effects, [refusal(refused + 1)], 'though there is room')
    t.strictSame(pen.submit(refused).does, ['append'], 'it comes again')
    t.strictSame(pen.submit(refused + 1).effects, [])
    t.equal(pen.state.queue.length, 1)
  }
})

t.test('a full queue refuses, and what was refused never stands there', async (t) => {
  const pen = new Pen()
  for (let ticket = 0; ticket <= 1_000; ticket++) pen.submit(ticket)
  t.strictSame(pen.effects, [])
  t.strictSame(pen.submit(1_001).effects, [refusal(1_001)])
  t.strictSame(pen.appended(101).submit(1_001).effects, [])
  const many = Array.from({ length: 257 }, (_, i) => ({ id: `i${i}`, deadlineMs: 1 }))
  t.strictSame(new Pen().submit(1, { opens: many }).does, ['refused'], 'they stand in every record')
})

t.test(
  'F159 after any failure the end of the journal is read before anything is sent',
  async (t) => {
    for (const why of ['conflict', 'ambiguous', 'unavailable'] as const) {
      const pen = new Pen().submit(1).failed(why)
      t.strictSame(pen.does, ['readTail'], why)
      t.strictSame(pen.submit(2).effects, [], 'nothing overtakes it')
      const { sent } = pen
      t.match(pen.tail(100).effects, [{ do: 'append', expectedSeq: 100 }], 'nothing has moved')
      t.equal(pen.sent, sent, 'the same record, under the same id')
      pen
        .failed()
        .feed({ is: 'tick' }, 50)
        .tail(107, { ...sent })
      t.match(pen.effects[0], { do: 'appended', tickets: [1], seq: 107, hash: hash(107) })
      t.match(pen.effects[1], {
        do: 'append',
        expectedSeq: 107,
        record: { n: 12, prev: hash(107) },
      })
    }
  },
)

t.test('F159 a record in our place is somebody else’s unless it has our id', async (t) => {
  const pen = new Pen().submit(1).submit(2).failed('ambiguous')
  const { sent } = pen
  pen.tail(101, { ...sent, rid: uuid(800) })
  t.strictSame(pen.effects, [{ do: 'fenced', tickets: [1, 2], why: 'overtaken' }])
  t.strictSame(pen.submit(3).effects, [refusal(3)])
  t.strictSame(pen.feed({ is: 'tick' }, 90_000).effects, [])
})

t.test(
  'a read that shows less than what was acknowledged is an old one, up to a limit',
  async (t) => {
    const pen = new Pen().submit(1).failed()
    for (let reads = 1, monoMs = 0; reads < DEFAULT_APPEND_LIMITS.staleReadsMax; reads++) {
      t.strictSame(pen.tail(99, {}, monoMs).effects, [])
      monoMs += 2_000
      t.ok(pen.feed({ is: 'tick' }, monoMs).does.includes('readTail'))
    }
    t.strictSame(pen.tail(99).effects, [{ do: 'fenced', tickets: [1], why: 'regressed' }])
    const empty = new Pen().submit(1).failed()
    empty.feed({ is: 'tail', call: empty.state.call, tail: undefined })
    t.equal(empty.state.phase, 'proving')
  },
)

t.test('a journal that does not answer stalls orders, and is asked ever more seldom', async (t) => {
  const pen = new Pen().submit(1).failed('unavailable', 1_000).failed('unavailable', 1_000)
  const reads: number[] = []
  let stalledMs = 0
  for (let monoMs = 1_000; monoMs < 8_000; monoMs += 10) {
    pen.feed({ is: 'tick' }, monoMs)
    if (pen.does.includes('stalled')) stalledMs = monoMs
    if (!pen.does.includes('readTail')) continue
    reads.push(monoMs)
    pen.failed('unavailable', monoMs)
  }
  t.strictSame(reads, [1_050, 1_150, 1_350, 1_750, 2_550, 4_150, 6_150])
  t.equal(stalledMs, 2_010, 'said once')
  pen.feed({ is: 'tick' }, 9_000).tail(100)
  t.strictSame(pen.appended(101).does, ['appended', 'flowing'])
})

t.test(
  'F387 a journal without room is tried ever more seldom, never as fast as it refuses',
  async (t) => {
    const pen = new Pen().submit(1).failed('unavailable', 1_000)
    t.strictSame(pen.tail(100, {}, 1_000).does, ['append'], 'the first failure may be a chance')
    const { sent } = pen
    const sentMs: number[] = []
    for (let monoMs = 1_000; monoMs < 8_000; monoMs += 10) {
      pen.feed({ is: 'tick' }, monoMs)
      // Both are answered at once, for as long as it takes.
      for (let answers = 0; answers < 10 && pen.state.call !== 0; answers++) {
        if (pen.state.phase === 'sending') {
          sentMs.push(monoMs)
          pen.failed('unavailable', monoMs)
        } else pen.tail(100, {}, monoMs)
      }
    }
    t.strictSame(sentMs, [1_000, 1_050, 1_150, 1_350, 1_750, 2_550, 4_150, 6_150])
    pen.feed({ is: 'tick' }, 9_000).tail(100, {}, 9_000)
    t.equal(pen.sent, sent, 'the same record, under the same id')
    t.strictSame(pen.appended(101).does, ['appended', 'flowing'])
    pen.submit(2).failed('unavailable', 9_000)
    t.strictSame(pen.does, ['readTail'], 'the next record begins anew')
  },
)

t.test('late and doubled answers count for nothing', async (t) => {
  const pen = new Pen().submit(1).appended(101)
  const first = { is: 'appended', call: 1, seq: 101, hash: hash(101) } as const
  t.strictSame(pen.feed(first).effects, [])
  t.strictSame(pen.submit(2).feed(first).effects, [])
  t.strictSame(pen.feed({ is: 'failed', call: 1, why: 'ambiguous' }).effects, [])
})

t.test('a release goes behind everything else, and is the last record', async (t) => {
  const pen = new Pen().submit(1).submit(2).feed({ is: 'release' })
  t.strictSame(pen.submit(3).effects, [refusal(3)])
  t.strictSame(pen.appended(101).does, ['appended', 'append'])
  t.strictSame(pen.appended(102).does, ['appended', 'append'])
  t.strictSame(pen.sent?.body, { t: 'release' })
  const { sent } = pen
  t.strictSame(pen.failed().tail(103, { ...sent }).effects, [{ do: 'released', seq: 103 }])
  t.strictSame(pen.feed({ is: 'close' }).effects, [])
})

t.test('what leaves the cluster is closed the same way, for everybody', async (t) => {
  const pen = new Pen().feed({ is: 'release', closing: 'left' })
  t.strictSame(pen.sent?.body, { t: 'left' })
  t.strictSame(pen.appended(101).effects, [{ do: 'released', seq: 101 }])
  t.strictSame(pen.submit(1).effects, [refusal(1)])
})

t.test('the end of a life leaves nobody waiting', async (t) => {
  const pen = new Pen().submit(1).submit(2).feed({ is: 'close' })
  t.strictSame(pen.effects, [{ do: 'fenced', tickets: [1, 2], why: 'closed' }])
  t.strictSame(pen.appended(101).effects, [])
})
