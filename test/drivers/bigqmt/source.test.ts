import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { accountSchema } from '../../../src/config/account.ts'
import { limitsSchema } from '../../../src/config/limits.ts'
import { openMarket } from '../../../src/drivers/bigqmt/market.ts'
import { SH } from '../fixtures/paper.ts'
import { ACCOUNT } from '../xt/rig.ts'
import { BigqmtRig, TOKEN } from './rig.ts'

t.test('bars of the full terminal come through its script, or a line says why not', async (t) => {
  const folder = t.testdir()
  const rig = await BigqmtRig.open({ folder })
  const home = join(folder, 'data', ACCOUNT, 'bigqmt')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'token'), TOKEN)
  const account = accountSchema.parse({
    account_id: ACCOUNT,
    qmt_path: 'q',
    bigqmt: { port: rig.port, folder: rig.scriptFolder },
  })
  const { feed, fetch } = openMarket({
    dataDir: join(folder, 'data'),
    market: { source: 'bigqmt', account: '' },
    accounts: [{ ...account, driver: 'bigqmt' }],
    limits: limitsSchema.parse({}),
    log: rig.log,
    nowMs: Date.now,
  })
  try {
    const wanted = { code: SH, period: '1d', from: '2026-08-10', to: '2026-08-11' } as const
    const bars = await fetch(wanted)
    t.ok(bars.length > 0)
    t.match(bars[0], { open: Number, volumeFrom: 0, volumeTo: Number })
    await rig.kill()
    await t.rejects(fetch(wanted), { code: 'CONFLICT', message: /^history of .* 1d: / })
  } finally {
    await feed.stop()
    await rig.close()
  }
})
