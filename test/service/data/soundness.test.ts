import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { silentLogger } from '../../../src/observability/logger.ts'
import { lookThrough, Soundness } from '../../../src/service/data/soundness.ts'
import type { Examined } from '../../../src/storage/examine.ts'
import { turnsUntil } from '../../in-time.ts'

const LIMITS = { readMs: 10_000, silenceMs: 60_000, looksAtOnce: 4 }
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

t.test(
  'F993 an account whose database another program has open on Windows waits, and is not parked',
  async (t) => {
    const dataDir = t.testdir({ '10000001': { db: { created: '', 'data.mdb': 'any' } } })
    const tryFile = () => {
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' })
    }
    const limits = { ...LIMITS, tryFile, heldMs: 0 }
    const soundness = new Soundness({ dataDir, limits, log: silentLogger })
    const refused = await soundness.ofAccount({ account_id: '10000001', driver: 'xt' })
    t.equal(refused?.code, 'STORE_FAILED', 'it is tried again')
    t.match(refused?.message, /被另一个程序占用.*no damage was found/)
    t.notMatch(refused?.message, /已损坏|steward restore/)
  },
)

t.test(
  'F993 one that cannot be written there keeps a backup of the others from nothing',
  async (t) => {
    const folder = t.testdir({ created: '', 'data.mdb': 'any' })
    const tryFile = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    }
    const limits = { ...LIMITS, tryFile }
    const found = await lookThrough([folder], limits, { isRestOf: true })
    t.match(found.get(folder), { problem: /无法写入（EPERM）/ })
    await t.rejects(lookThrough([folder], limits), { message: /无法写入（EPERM）.*no damage/ })
  },
)

t.test(
  'F688 many accounts that are looked at in one moment start few processes, and each has its turn',
  async (t) => {
    const dataDir = t.testdir()
    const looks: PromiseWithResolvers<ReadonlyMap<string, Examined>>[] = []
    const soundness = new Soundness({
      dataDir,
      limits: LIMITS,
      log: silentLogger,
      examine: () => {
        const look = Promise.withResolvers<ReadonlyMap<string, Examined>>()
        looks.push(look)
        return look.promise
      },
    })
    const ids = Array.from({ length: 30 }, (_, i) => `${10_000_001 + i}`)
    const asked = ids.map((account_id) => soundness.ofAccount({ account_id, driver: 'xt' }))
    let most = 0
    for (let ended = 0; ended < ids.length; ended++) {
      await turnsUntil(() => looks[ended] !== undefined, 'the next look')
      most = Math.max(most, looks.length - ended)
      if (ended === 3) looks[ended]?.reject(new Error('none could be started'))
      else looks[ended]?.resolve(new Map())
    }
    t.equal(most, 4)
    const answers = await Promise.allSettled(asked)
    t.equal(answers.filter(({ status }) => status === 'fulfilled').length, ids.length - 1)
  },
)
