import t from 'tap'
import type { Role } from '../../src/cluster/account-ownership.ts'
import { ClusterOwnership, type SeatListener } from '../../src/cluster/cluster-ownership.ts'
import { admitStart } from '../../src/cluster/membership.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { ClusterAbout } from '../../src/protocol/cluster.ts'
import type { StoreControl, StoreControlReplies } from '../../src/protocol/store.ts'
import { turnsUntil } from '../in-time.ts'

const ACCOUNT = '10000001'
const EPOCH = 3
/** Servers that have nothing of the account. */
const UNKNOWN: ClusterAbout = { id: 'first', end: null, isKept: false }

interface RigKind {
  /** A join is not answered. */
  readonly isAway?: boolean
  /** Nor is a leave. */
  readonly isDeaf?: boolean
  readonly refusal?: ServiceError
  readonly about?: ClusterAbout | Promise<ClusterAbout>
  readonly found?: StoreControlReplies['inspect'] | { readonly epoch: number }
  /** What the store fails with, one after the other, when it is asked for this. */
  readonly failures?: Partial<Record<StoreControl['kind'], Error[]>>
  /** Why its databases must not be opened, one look after the other. */
  readonly refused?: ServiceError[]
}

interface Asked {
  readonly kind: string
  readonly epoch?: number
  readonly doesFit?: boolean
}

/** An ownership whose claim ends when the test says so, and what its store was told. */
function rig({
  isAway = false,
  isDeaf = false,
  refusal,
  about = UNKNOWN,
  found = { epoch: 0 },
  failures = {},
  refused = [],
}: RigKind = {}) {
  const roles: Role[] = []
  const asked: string[] = []
  /** Whether the account fits on the disk here, as its seat was told. */
  const fits: boolean[] = []
  /** Epochs that the journal has to go beyond. */
  const joins: number[] = []
  const stalled: boolean[] = []
  const told: StoreControl['kind'][] = []
  const claiming = Promise.withResolvers<void>()
  const claimed = Promise.withResolvers<void>()
  const note = ({ kind, epoch = 0, doesFit }: Asked) => {
    if (kind === 'join') joins.push(epoch)
    if (doesFit !== undefined) fits.push(doesFit)
  }
  let listener: SeatListener | undefined
  let isHeard = false
  const ownership = new ClusterOwnership(
    ACCOUNT,
    {
      slot: 0,
      node: 'node-a',
      admit: admitStart,
      eligible: ['node-a'],
      isReal: false,
      control: (async (request: StoreControl) => {
        told.push(request.kind)
        const failure = failures[request.kind]?.shift()
        if (failure !== undefined) throw failure
        if (request.kind !== 'claim') return found
        claiming.resolve()
        if (refusal !== undefined) throw refusal
        await claimed.promise
        told.push('claim')
        return { claimed: true, epoch: EPOCH }
      }) as never,
      ask: (async (request: Asked) => {
        const { kind } = request
        note(request)
        if (kind === 'about' && isAway) return new Promise(() => undefined)
        if (kind === 'about') return about
        asked.push(kind)
        if (kind === 'leave' && isDeaf) throw new ServiceError('DEADLINE_EXCEEDED', 'no answer')
        if (kind === 'leave') listener?.lost('released') // as its seat says before the answer
        return null
      }) as never,
      listen: (one) => {
        listener = one
        isHeard = true
        return () => {
          isHeard = false
        }
      },
      line: { ask: () => Promise.reject(new Error('nobody is asked here')) },
      examine: async () => refused.shift(),
      stalled: (isStalled) => stalled.push(isStalled),
      limits: { settleMs: 1, seekAgainMs: 1 },
    },
    { serve: async () => null, changed: (role) => void roles.push(role) },
  )
  const own = async (): Promise<void> => {
    await ownership.start()
    listener?.owned(EPOCH)
    await claiming.promise
  }
  const lose = () => listener?.lost('overtaken')
  const stall = () => listener?.stalled(true)
  const end = claimed.resolve
  const isHeardNow = () => isHeard
  return {
    ownership,
    roles,
    told,
    asked,
    fits,
    joins,
    stalled,
    own,
    lose,
    stall,
    end,
    isHeard: isHeardNow,
  }
}

t.test('a start does not wait for servers that are away, and goes on when they come', async (t) => {
  const { own, end, ownership, told } = rig({ isAway: true })
  await own() // resolves although nobody has answered
  end()
  await ownership.release()
  t.ok(told.includes('claim'))
})

t.test('F176 an account that is given up is released in its database too', async (t) => {
  const { ownership, told, own, end } = rig()
  await own()
  end()
  await ownership.release()
  t.equal(told.at(-1), 'release')
})

t.test('an account that is given up is answered for by nobody here any more', async (t) => {
  for (const isDeaf of [false, true]) {
    const { ownership, own, end, isHeard } = rig({ isDeaf })
    await own()
    end()
    t.ok(isHeard())
    await ownership.release().catch(() => undefined) // servers that do not answer keep nothing of it here
    t.notOk(isHeard())
  }
})

t.test('F176 a claim under way is waited for before its database is released', async (t) => {
  const { ownership, told, own, end } = rig()
  await own()
  const released = ownership.release()
  await new Promise((resolve) => setImmediate(resolve))
  t.notOk(told.includes('release'), 'it would name our log again afterwards')
  end()
  await released
  t.equal(told.at(-1), 'release')
})

t.test('F211 an account that is given up while it starts is not joined afterwards', async (t) => {
  const { ownership, asked } = rig()
  const started = ownership.start()
  await ownership.release()
  await t.rejects(started, { code: 'STOPPING' })
  t.strictSame(asked, ['leave'])
})

t.test('F211 nor is one that is given up while the servers are asked about it', async (t) => {
  const { promise: about, resolve } = Promise.withResolvers<ClusterAbout>()
  const { ownership, asked, told } = rig({ about })
  const started = ownership.start()
  await turnsUntil(() => told.includes('inspect'), 'the database to be looked at')
  await new Promise((done) => setImmediate(done))
  const released = ownership.release()
  resolve(UNKNOWN)
  await Promise.allSettled([started, released])
  await new Promise((done) => setImmediate(done))
  t.strictSame(asked, ['leave'])
})

t.test('F211 a database is released although the servers do not answer', async (t) => {
  const { ownership, told, own, end } = rig({ isDeaf: true })
  await own()
  end()
  await t.rejects(ownership.release(), { code: 'DEADLINE_EXCEEDED' })
  t.equal(told.at(-1), 'release')
})

t.test('an account that was never ours is not released', async (t) => {
  const { ownership, told } = rig()
  await ownership.start()
  await ownership.release()
  await turnsUntil(() => told.length > 1, 'its mark')
  t.strictSame(told, ['inspect', 'mark'])
})

t.test(
  'an account whose books are damaged here may be run elsewhere, one whose journal is may not',
  async (t) => {
    for (const [text, wanted] of [
      ['the database cannot be read', ['join', 'leave']],
      ['JOURNAL_REGRESSED: it ends with commit 1', ['join']],
    ] as const) {
      const { own, asked } = rig({ refusal: new ServiceError('STORE_FAILED', text) })
      await own()
      await turnsUntil(() => asked.length >= wanted.length, 'what it asks')
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      t.strictSame(asked, wanted, text)
    }
  },
)

t.test(
  'an account that was lost while its journal was silent takes orders again when it is back',
  async (t) => {
    const { own, end, stall, lose, stalled } = rig()
    await own()
    end()
    stall()
    lose()
    t.equal(stalled.at(-1), false)
  },
)

t.test('a start goes on where the store fails, and is tried again until it is done', async (t) => {
  const late = () => new ServiceError('DEADLINE_EXCEEDED', 'the store is busy')
  const failures = { inspect: [late(), late()], mark: [late()] }
  const { ownership, asked, told, roles } = rig({ failures })
  await ownership.start()
  await turnsUntil(() => asked.includes('join'), 'its seat')
  t.strictSame(told, ['inspect', 'inspect', 'inspect', 'mark', 'inspect', 'mark'])
  t.match(roles, [{ kind: 'seeking', problem: { message: 'the store is busy' } }])
  await ownership.release()
})

t.test('what the disk refuses parks the account, and ends nobody’s start', async (t) => {
  const failures = { inspect: [new ServiceError('STORE_FAILED', 'no such folder')] }
  const { ownership, asked } = rig({ failures })
  await t.rejects(ownership.start(), { code: 'ACCOUNT_PARKED', message: 'no such folder' })
  t.strictSame(asked, [])
})

t.test('F658 a database that nobody could look through is looked at again', async (t) => {
  const unread = () => new ServiceError('STORE_FAILED', 'nobody could look')
  const { ownership, asked, told, roles } = rig({ refused: [unread(), unread()] })
  await ownership.start()
  await turnsUntil(() => asked.includes('join'), 'its seat')
  t.strictSame(told, ['inspect', 'mark'], 'nothing opens it before')
  t.match(roles, [{ kind: 'seeking', problem: { code: 'STORE_FAILED' } }])
  await ownership.release()
  const damaged = rig({ refused: [new ServiceError('ACCOUNT_PARKED', 'damaged')] })
  await t.rejects(damaged.ownership.start(), { code: 'ACCOUNT_PARKED' })
})

t.test('F463 what does not fit on the disk here is told to its seat, until it does', async (t) => {
  const full = () => new ServiceError('DISK_FULL', 'no room')
  const { own, end, fits, roles, ownership } = rig({ failures: { claim: [full(), full()] } })
  await own()
  t.strictSame(fits, [false], 'once')
  t.match(roles.at(-1), { kind: 'seeking', problem: { code: 'DISK_FULL' } })
  end()
  await turnsUntil(() => roles.at(-1)?.kind === 'owner', 'the account')
  t.strictSame(fits, [false, true])
  await ownership.release()
})

t.test('F425 a client that has seen a later owner is given one beyond it', async (t) => {
  const found = {
    epoch: EPOCH,
    clientEpoch: 9,
    cluster: { id: 'first', state: 'in', at: 0 },
  } as const
  const about: ClusterAbout = {
    id: 'first',
    isKept: true,
    end: { seq: 7, epoch: EPOCH, node: 'node-a', isLeft: false, isFree: false },
  }
  for (const isBehind of [true, false]) {
    const { clientEpoch, ...alone } = found
    const { ownership, own, end, asked, roles, joins } = rig({
      about,
      found: isBehind ? found : alone,
    })
    await own()
    end()
    await turnsUntil(() => roles.at(-1)?.kind === 'owner', 'the account')
    ownership.lost()
    ownership.lost()
    if (isBehind) await turnsUntil(() => asked.length === 3, 'a second join')
    await new Promise((resolve) => setImmediate(resolve))
    t.strictSame(asked, isBehind ? ['join', 'leave', 'join'] : ['join'], 'asked once')
    t.equal(roles.at(-1)?.kind, isBehind ? 'seeking' : 'owner')
    if (isBehind) t.equal(joins.at(-1), clientEpoch, 'its journal gives a later one')
    await ownership.release()
  }
})

t.test('F199 the database says that it is in the cluster before anything is claimed', async (t) => {
  const { ownership, told, asked } = rig()
  await ownership.start()
  await turnsUntil(() => asked.length > 0, 'what it asks')
  t.strictSame(told, ['inspect', 'mark'])
  t.strictSame(asked, ['join'])
})

t.test('F200 an account that must not be run here is parked, and asks for no seat', async (t) => {
  const { ownership, roles, told, asked } = rig({ found: { epoch: 7 } })
  await ownership.start()
  await turnsUntil(() => roles.length > 1, 'a role')
  t.match(roles.at(-1), { kind: 'seeking', problem: { code: 'ACCOUNT_PARKED', message: /join/ } })
  t.strictSame(told, ['inspect'])
  t.strictSame(asked, [])
})

t.test(
  'F200 what another computer has to do first is told once, and then waited for',
  async (t) => {
    const about: { -readonly [K in keyof ClusterAbout]: ClusterAbout[K] } = {
      ...UNKNOWN,
      isKept: true,
    }
    const { ownership, roles, told, asked } = rig({ about })
    await ownership.start()
    await turnsUntil(() => roles.length > 1, 'what it waits for')
    t.match(roles.at(-1), {
      kind: 'seeking',
      problem: { code: 'NOT_OWNER', message: /join there/ },
    })
    about.end = { seq: 3, epoch: 2, node: 'node-b', isLeft: false, isFree: true }
    await turnsUntil(() => asked.length > 0, 'its seat')
    t.equal(roles.length, 2)
    t.strictSame(asked, ['join'])
    t.strictSame(told, ['inspect', 'mark'])
  },
)
