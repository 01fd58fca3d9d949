import { mock } from 'node:test'
import t from 'tap'
import { Commits } from '../../actors/account/commits.ts'
import type { AccountActorDeps } from '../../actors/account/deps.ts'
import { CommitDraft, loadState } from '../../actors/account/rows.ts'
import { spreadMs } from '../../actors/account/spread.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { type AccountInput, step } from '../../src/account/step.ts'
import type { Effect, Turn } from '../../src/account/turn/turn.ts'
import type { Quantity } from '../../src/domain/money.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import type { Commit } from '../../src/protocol/store.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  holder,
  ORDER,
  policy,
  quote,
  yuan,
} from '../account/fixture.ts'
import { surroundings } from '../simulation/fixtures/life.ts'
import { PlainStore } from '../simulation/fixtures/plain-store.ts'

const SLOT = 1
const LAZY_MS = 100
/** Of it, as this slot keeps. */
const KEPT_MS = spreadMs(LAZY_MS, SLOT)
const QUOTES: AccountInput = { kind: 'quotes', crossed: [BANK] }

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

interface Options {
  readonly tempo?: 'real' | 'exact'
  readonly lazyTurnsMax?: number
  /** It sells by itself. */
  readonly isTrading?: boolean
  /** Of the holding; one of today by default. */
  readonly openDate?: string
}

/** The shell's way to the disk under an account that holds a stock: commits become durable when they are told to. */
function shell(options: Options = {}) {
  const { tempo = 'real', lazyTurnsMax = 1_000, isTrading = false, openDate } = options
  const bench = holder()
  const switches = { ENABLE_AUTO_OPERATION: isTrading, ENABLE_AUTO_TRADING: isTrading }
  bench.state.settings = { ...bench.state.settings, ...switches }
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, openDate: openDate ?? held.openDate })
  const disk = new PlainStore()
  const draft = new CommitDraft(bench.state)
  const rows = [
    { table: 'positions', key: BANK },
    { table: 'meta', key: 'account' },
  ] as const
  draft.add({ events: bench.journal, dirtyRows: rows } as unknown as Turn)
  disk.commit(draft.take() as Commit)

  const board = new ActorBoard(createActorBoard(2))
  const sent: Commit[] = []
  const open: (() => void)[] = []
  const seen = { performed: [] as Effect[], followed: 0, shown: 0 }
  const commit = (each: Commit): Promise<void> => {
    sent.push(each)
    return new Promise((resolve) => {
      open.push(() => {
        disk.commit(each)
        resolve()
      })
    })
  }
  const { limits, latency } = surroundings()
  const deps = {
    policy: { ...policy, tempo },
    slot: SLOT,
    board,
    latency,
    limits: { ...limits, lazySaveMs: LAZY_MS, lazyTurnsMax },
    store: { commit },
  } as unknown as AccountActorDeps
  const commits = new Commits(deps, {
    state: bench.state,
    generation: board.generation(SLOT),
    publish: (shown) => {
      if (shown !== 'none') seen.shown += 1
    },
    perform: (effect) => seen.performed.push(effect),
    followUp: (turns) => {
      seen.followed += turns.length
      for (const { done } of turns) done()
    },
  })
  /** One input in a turn of the mailbox of its own; whether the next one has to wait. */
  const input = (each: AccountInput): boolean => {
    const turn = bench.turn()
    step(turn, each)
    board.begin(SLOT)
    const done = () => board.end(SLOT)
    const decided = { monotonicMs: bench.nowMs, wallMs: bench.wallMs }
    const stalled = commits.add(turn, { input: each, correlationId: '', decided, done })
    if (stalled === undefined) commits.send()
    return stalled !== undefined
  }
  const tick = (price: number, day: Partial<Quote> = {}): boolean => {
    bench.nowMs += 100
    bench.quotes.set(BANK, { ...quote(price, bench.nowMs), ...day })
    return input(QUOTES)
  }
  /** What is on its way to the disk arrives there, and all that follows is done. */
  const flush = async (): Promise<void> => {
    for (const arrive of open.splice(0)) arrive()
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
  }
  return { bench, board, disk, sent, seen, commits, input, tick, flush }
}

const kinds = ({ entries }: Commit): readonly string[] => entries.map(({ kind }) => kind)
const highOf = ({ positions }: AccountState): number => positions.get(BANK)?.highestPrice ?? 0

t.test('new highs are done at once and saved together', async (t) => {
  const { sent, seen, tick, flush, bench, board } = shell()
  for (const price of [36.1, 36.2, 36.3]) tick(price)
  t.equal(highOf(bench.state), yuan(36.3))
  t.equal(seen.followed, 3, 'their bands have moved: none is decided again')
  t.equal(seen.shown, 3, 'readers see them')
  t.ok(board.isDecided(), 'and nothing is in flight')
  t.notOk(board.isQuiet(), 'but for the disk')
  mock.timers.tick(KEPT_MS - 1)
  t.strictSame(sent, [])
  mock.timers.tick(2)
  t.strictSame(sent.map(kinds), [['holdingChanged', 'holdingChanged', 'holdingChanged']])
  await flush()
  t.ok(board.isQuiet())
  t.equal(seen.shown, 3, 'nothing that they see has changed by its being saved')
  tick(36.4)
  mock.timers.tick(LAZY_MS)
  t.equal(sent.length, 2, 'the next ones are gathered anew')
})

t.test('what somebody waits for takes them along, before itself', async (t) => {
  const { sent, seen, tick, input, flush } = shell()
  tick(36.1)
  tick(36.2)
  input({ kind: 'request', ref: 1, request: ORDER })
  t.strictSame(sent.map(kinds), [['holdingChanged', 'holdingChanged', 'orderSubmitted']])
  const seqs = sent[0]?.entries.map(({ seq }) => seq) ?? []
  t.strictSame(
    seqs,
    seqs.toSorted((a, b) => a - b),
  )
  t.strictSame(seen.performed, [], 'nothing is sent before it is on disk')
  await flush()
  t.match(
    seen.performed.filter(({ kind }) => kind === 'call'),
    [{ command: { kind: 'submit' } }],
  )
  mock.timers.tick(LAZY_MS)
  t.equal(sent.length, 1, 'nothing is left to be saved')
})

/** The events of a stop-loss. */
const STOP = ['holdingChanged', 'orderSubmitted', 'decisionMade']

t.test('a tick that leads to an order is saved at once', (t) => {
  const { sent, tick } = shell({ isTrading: true })
  tick(36.1)
  tick(32)
  t.equal(sent.length, 1)
  t.strictSame(sent.flatMap(kinds), ['holdingChanged', ...STOP])
  t.end()
})

t.test('and so is a breakout, and a report of the broker', (t) => {
  const { sent, tick, input } = shell({ isTrading: true })
  tick(36.1)
  tick(37.3)
  t.equal(sent.length, 1, '6 % above 35.1 are 37.21')
  tick(37.4)
  t.equal(sent.length, 1, 'its high is kept')
  const position = brokerPosition({ quantity: 900 as Quantity })
  input({ kind: 'driver', event: { kind: 'positionPushed', position } })
  t.equal(sent.length, 2)
  t.ok(sent[1] && kinds(sent[1]).includes('positionReported'))
  t.end()
})

t.test('so many of them are saved without waiting', (t) => {
  const { sent, tick } = shell({ lazyTurnsMax: 2 })
  for (const price of [36.1, 36.2, 36.3]) tick(price)
  t.strictSame(sent.map(kinds), [['holdingChanged', 'holdingChanged']])
  t.end()
})

t.test('turns that are merely kept hold up nothing', async (t) => {
  const { tick, input, flush, sent } = shell()
  input({ kind: 'request', ref: 1, request: ORDER })
  const { stepsInFlightMax } = surroundings().limits
  for (let n = 1; n <= 3 * stepsInFlightMax; n++) {
    t.notOk(tick(36 + n / 10_000), 'the next message does not wait')
  }
  t.equal(sent.length, 1)
  await flush()
  mock.timers.tick(LAZY_MS)
  t.equal(sent.length, 2)
})

t.test('but a disk that stands still stops them in the end', (t) => {
  const { tick, sent } = shell({ lazyTurnsMax: 2 })
  const { stepsInFlightMax } = surroundings().limits
  const stalledAt = Array.from({ length: 3 * stepsInFlightMax }).findIndex((_, n) =>
    tick(36.1 + n / 10_000),
  )
  t.ok(stalledAt > stepsInFlightMax && sent.length <= stepsInFlightMax, `${stalledAt}`)
  t.end()
})

t.test('in an exact replay every turn is a commit of its own', (t) => {
  const { sent, tick } = shell({ tempo: 'exact' })
  tick(36.1)
  tick(36.2)
  t.strictSame(sent.map(kinds), [['holdingChanged'], ['holdingChanged']])
  t.end()
})

t.test('a look that changes nothing is neither saved nor shown', (t) => {
  const { sent, seen, tick, board } = shell()
  tick(36)
  tick(35.9)
  t.strictSame([sent.length, seen.shown, seen.followed], [0, 1, 2], 'the first one was a high')
  t.notOk(board.isQuiet())
  t.end()
})

t.test('a stop, and whoever reads what is on disk, wait for them', async (t) => {
  const { sent, tick, flush, commits, disk } = shell()
  tick(36.1)
  let isWritten = false
  const written = commits.written().then(() => {
    isWritten = true
  })
  t.equal(sent.length, 1, 'sent without delay')
  await Promise.resolve()
  t.notOk(isWritten)
  await flush()
  await written
  tick(36.2)
  const ended = commits.ended()
  await flush()
  await ended
  t.equal(disk.open([]).seq, sent.at(-1)?.entries.at(-1)?.seq)
  await commits.written()
  t.equal(sent.length, 2, 'with nothing kept there is nothing to wait for')
})

/** The account in another life, from what was on disk, with the quote that the board still has. */
async function restarted({ bench, disk }: ReturnType<typeof shell>): Promise<Bench> {
  const store = { open: async (names: never) => ({ epoch: 2, ...disk.open(names) }) }
  const { state } = await loadState({ policy, store } as unknown as AccountActorDeps)
  const next = new Bench(state)
  next.nowMs = bench.nowMs
  for (const [code, known] of bench.quotes) next.quotes.set(code, known)
  return next
}

t.test('F114 a crash loses them, and the high of the day gives them back', async (t) => {
  const first = shell({ openDate: '2026-08-03 09:31:02' })
  first.tick(36.1)
  mock.timers.tick(LAZY_MS)
  await first.flush()
  first.tick(36.8)
  first.tick(36.4, { high: yuan(36.8) })
  t.equal(highOf(first.bench.state), yuan(36.8))
  const next = await restarted(first)
  t.equal(highOf(next.state), yuan(36.1), 'as it was on disk')
  next.ready([brokerPosition()])
  t.equal(highOf(next.state), yuan(36.8), 'before any tick has come')
  t.equal(
    next.state.positions.get(BANK)?.stopLossPrice,
    first.bench.state.positions.get(BANK)?.stopLossPrice,
  )
})

t.test('F114 of a holding of today it is gone: its day began before it was bought', async (t) => {
  const first = shell()
  first.tick(36.1)
  mock.timers.tick(LAZY_MS)
  await first.flush()
  first.tick(36.8)
  first.tick(36.4, { high: yuan(36.8) })
  const next = await restarted(first)
  next.ready([brokerPosition()])
  t.equal(highOf(next.state), yuan(36.4), 'but for what the quote still shows')
})
