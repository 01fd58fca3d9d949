import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { silentLogger } from '../../src/observability/logger.ts'
import { Soundness } from '../../src/service/soundness.ts'

const LIMITS = { readMs: 10_000, silenceMs: 60_000 }
const broken = () => ({ created: '', 'data.mdb': 'no database', 'lock.mdb': '' })

t.test(
  'F588 files of another user are not called damaged, and nothing is to be restored',
  async (t) => {
    const dataDir = t.testdir({ '10000001': { db: broken() }, service: { db: broken() } })
    const soundness = (denied: string) =>
      new Soundness({
        dataDir,
        limits: LIMITS,
        log: silentLogger,
        mayUse: (path) => path !== denied,
      })
    const account = { account_id: '10000001', driver: 'xt' } as const
    const file = join(dataDir, '10000001', 'db', 'lock.mdb')
    const parked = await soundness(file).ofAccount(account)
    t.equal(parked?.code, 'ACCOUNT_PARKED')
    t.match(parked?.message, file)
    t.match(parked?.message, /无权读写.*may not read and write/)
    t.notMatch(parked?.message, /已损坏|steward restore/)
    t.match((await soundness('').ofAccount(account))?.message, /已损坏.*steward restore.*damaged/)

    const service = join(dataDir, 'service', 'db')
    const ofProcess = async (denied: string) => {
      const asked = soundness(denied)
      asked.begin([])
      await asked.ofProcess()
    }
    await t.rejects(ofProcess(service), {
      name: 'DamageError',
      message: /无权读写.*may not read and write(?!.*steward restore)/,
    })
    await t.rejects(ofProcess(''), { name: 'DamageError', message: /已损坏.*steward restore/ })
  },
)

t.test(
  'F631 what nobody could look through is not called damaged, and is looked at again',
  async (t) => {
    const dataDir = t.testdir({
      '10000001': { db: { created: '', 'data.mdb': 'no database' } },
      service: {
        db: { created: '', 'data.mdb': 'no database' },
        bars: { one: { 'data.mdb': 'none' } },
      },
    })
    const limits = { ...LIMITS, freeBytes: () => 0 }
    const soundness = new Soundness({ dataDir, limits, log: silentLogger })
    const account = { account_id: '10000001', driver: 'xt' } as const
    const refused = await soundness.ofAccount(account)
    t.equal(refused?.code, 'STORE_FAILED', 'for now, not for this life of the process')
    t.match(refused?.message, /磁盘已满.*no damage was found/)
    t.notMatch(refused?.message, /已损坏|steward restore/)
    soundness.begin([])
    await t.rejects(soundness.ofProcess(), { code: 'STORE_FAILED', message: /no damage was found/ })
    rmSync(join(dataDir, 'service', 'db'), { recursive: true })
    soundness.begin([])
    await soundness.ofProcess()
    t.strictSame(
      readdirSync(join(dataDir, 'service', 'bars', 'one')),
      ['data.mdb'],
      'not put aside',
    )
  },
)
