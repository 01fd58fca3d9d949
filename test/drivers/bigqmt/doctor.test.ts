import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { accountSchema } from '../../../src/config/account.ts'
import { limitsSchema } from '../../../src/config/limits.ts'
import type { Finding } from '../../../src/domain/finding.ts'
import { examine } from '../../../src/drivers/bigqmt/doctor.ts'
import { Witness } from '../../contract/driver.ts'
import { NEEDS_SUSPENSION } from '../../platform.ts'
import { resume, suspend } from '../../suspend.ts'
import { oneThousandShares, SH } from '../fixtures/paper.ts'
import { ACCOUNT } from '../xt/rig.ts'
import { BigqmtRig, type BigqmtRigOptions, TOKEN } from './rig.ts'

const BOOK = { last: 10, lastClose: 10, bid: [[9.99, 9_000]], ask: [[10, 9_000]] } as const
/** The doctor waits for a tick of this one. */
const PROBE = '000001.SZ'
/** So many turns of the script as were once enough for it to count as gone, twice. */
const STANDING_MS = 500

async function open(t: Test, parts: Partial<BigqmtRigOptions> = {}, patienceMs = 60_000) {
  const folder = t.testdir()
  const settings = oneThousandShares()
  const rig = await BigqmtRig.open({ folder, settings, ...parts })
  const home = join(folder, 'data', ACCOUNT, 'bigqmt')
  mkdirSync(home, { recursive: true })
  const look = async (bigqmt: object = {}, token = TOKEN, account_type = 'STOCK') => {
    writeFileSync(join(home, 'token'), token)
    const found: Finding[] = []
    const account = accountSchema.parse({
      account_id: ACCOUNT,
      qmt_path: 'q',
      account_type,
      driver: 'bigqmt',
      bigqmt: {
        port: rig.port,
        folder: rig.scriptFolder,
        ...(parts.transport && { transport: parts.transport }),
        ...bigqmt,
      },
    })
    const setup = {
      dataDir: join(folder, 'data'),
      accounts: [{ ...account, driver: 'bigqmt' }],
      market: { source: 'bigqmt', account: '' } as const,
      // A computer that is busy enough turns seldom.
      limits: limitsSchema.parse({ bigqmt: { tick_ms: 10, handshake_timeout_ms: patienceMs } }),
    }
    await examine(setup, (some) => found.push(...some))
    return found
  }
  return { rig, look }
}

const lines = (found: readonly Finding[]) =>
  found.map(({ name, status }) => `${status} ${name.replace(/ \*+\d{4}/, '')}`)

for (const transport of ['socket', 'files'] as const) {
  t.test(`F102 over ${transport}: a script that is well, then one that is served`, async (t) => {
    const { rig, look } = await open(t, { transport })
    try {
      rig.terminal.tick(SH, BOOK)
      rig.terminal.tick(PROBE, BOOK)
      const found = await look()
      t.strictSame(lines(found), [
        'ok script',
        'ok trading client',
        'ok query asset',
        'ok query positions',
        'ok query orders',
        'ok query deals',
        'ok orders',
        'ok quotes',
      ])
      t.equal(rig.terminal.orders, 0)
      const w = new Witness(rig.driver({ epoch: 7 }))
      await w.connect()
      const beside = await look()
      t.strictSame(lines(beside), ['ok script', 'ok quotes'])
      t.match(beside[0]?.text, /belongs to the service/)
      t.notOk(
        w.events.some(({ kind }) => kind === 'disconnected'),
        'its place was not taken',
      )
      rig.host.close() // the service is gone; the script remembers its epoch
      for (;;) {
        const after = await look()
        if (after.length > 2) {
          t.notOk(after.some(({ status }) => status === 'fail'))
          break
        }
      }
    } finally {
      await rig.close()
    }
  })
}

t.test('a terminal that turns seldom is waited for', NEEDS_SUSPENSION, async (t) => {
  const { rig, look } = await open(t, { transport: 'files' })
  try {
    t.equal(lines(await look())[0], 'ok script')
    await suspend(rig.pid)
    const looking = look()
    await delay(STANDING_MS)
    resume(rig.pid)
    t.equal(lines(await looking)[0], 'ok script')
  } finally {
    await rig.close()
  }
})

t.test('what is missing is said with its mend', async (t) => {
  const { rig, look } = await open(t, {}, 5_000)
  try {
    t.match((await look({ port: 1 }))[0], { status: 'fail', text: /ECONNREFUSED/, mend: /实盘/ })
    t.match((await look({}, 'another'))[0], { status: 'fail', text: /TOKEN/ })
    const still = await look({ transport: 'files' })
    t.match(still[0], { status: 'fail', text: /no heartbeat/ })
    await rig.kill()
    t.match((await look())[0], { status: 'fail' })
  } finally {
    await rig.close()
  }
})

t.test('F848 nor is an account well that the script can place no orders for', async (t) => {
  const { rig, look } = await open(t)
  try {
    const found = await look({}, TOKEN, 'FUTURE')
    t.match(found[0], { status: 'fail', text: /FUTURE/, mend: /STOCK or CREDIT/ })
    t.notOk(lines(found).includes('ok orders'))
  } finally {
    await rig.close()
  }
})
