import { mock } from 'node:test'
import t from 'tap'
import { snapshotOf } from '../../../src/domain/call-log.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import { MarketLine } from '../../../src/service/lines/market-line.ts'
import { OwnerLine } from '../../../src/service/lines/owner-line.ts'

const OPTIONS = { timeoutMs: 1_000, correlationId: '' }

t.test(
  'who asks for quotes of an account that nobody runs is told why, where that is known',
  async (t) => {
    const parkedFor = new ServiceError('ACCOUNT_PARKED', 'its books are damaged')
    let parked: ServiceError | undefined
    const line = new MarketLine({
      owner: new OwnerLine({ ownerTimeoutMs: 1_000, healthPollMs: 1_000 }),
      isOwner: () => false,
      parked: () => parked,
      market: () => Promise.reject(new Error('not asked')),
    })
    const ask = () => line.ask({ kind: 'ticks', codes: ['600036.SH'] }, OPTIONS)
    await t.rejects(ask(), { code: 'NOT_OWNER' }, 'it may be run again in a moment')
    parked = parkedFor
    await t.rejects(ask(), parkedFor, 'a person has to mend it')
  },
)

t.test('F980 nor the calls of its market', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2016, 0, 1) })
  t.teardown(() => mock.timers.reset())
  const line = new MarketLine({
    owner: new OwnerLine({ ownerTimeoutMs: 1_000, healthPollMs: 1_000 }),
    isOwner: () => true,
    parked: () => undefined,
    market: () => Promise.reject(new Error('not asked')),
  })
  mock.timers.setTime(Date.UTC(2026, 10, 30))
  t.ok(snapshotOf([line.report()], Date.now()).uptime_seconds < 3_600)
})
