import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { verifyAudit } from '../../src/service/audit/audit-command.ts'
import { SETTINGS, SH } from '../drivers/fixtures/paper.ts'
import { ACCOUNT, needPython } from '../drivers/xt/rig.ts'
import { Terminal } from '../drivers/xt/terminal.ts'
import { configFile, get, type Json, post, until } from './fixture.ts'
import { serveAt } from './fixtures/terminal.ts'

const CODE = SH.slice(0, 6)

/** A terminal with a second holding, that may leave the first one out of its lists. */
async function forgetful(t: Test, folder: string) {
  needPython()
  const [first] = SETTINGS.positions
  const positions = [first, { ...first, stock_code: '000001.SZ' }]
  const settings = { ...SETTINGS, positions } as typeof SETTINGS
  const terminal = await Terminal.open({ accountId: ACCOUNT, settings, folder })
  t.teardown(() => terminal.close())
  let isHidden = false
  terminal.onRow = (what, fields) =>
    isHidden && what === 'positions' && String(fields['stock_code']).startsWith(CODE)
      ? undefined
      : fields
  return { terminal, hide: (hidden: boolean) => (isHidden = hidden) }
}

const rowsOf = async (direct: string) =>
  ((await get(`${direct}/api/positions-all`)).body['data'] ?? []) as unknown as readonly Json[]
const heldAt = async (direct: string) =>
  (await rowsOf(direct)).find((row) => String(row['stock_code']).startsWith(CODE))

/** What `steward audit verify` says. */
async function verdict(folder: string): Promise<string> {
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: configFile(folder) } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const lines: string[] = []
  const config = { ...loaded.value.config, data_dir: join(folder, 'data') }
  await verifyAudit({ config, accountId: ACCOUNT, write: (line) => lines.push(line) })
  return lines[0] ?? ''
}

t.test(
  'F791 what a terminal leaves out over a restart of the service is known again',
  async (t) => {
    const folder = t.testdir()
    const { terminal, hide } = await forgetful(t, folder)
    const limits = { account: { position_query_interval_ms: 100 } }
    const first = await serveAt(terminal, folder, limits)
    await until(() => heldAt(first.direct), Boolean)
    const off = { stock_code: CODE, enabled: false }
    t.equal((await post(`${first.direct}/api/holdings/stop_profit`, off)).status, 200)
    const taken = { stock_code: CODE, profit_triggered: true }
    t.equal((await post(`${first.direct}/api/holdings/update`, taken)).status, 200)
    hide(true)
    await until(
      () => heldAt(first.direct),
      (held) => held === undefined,
    )
    await first.service.stop()
    t.match(await verdict(folder), /tables agree/, 'while it is lost')

    const second = await serveAt(terminal, folder, limits)
    await until(
      () => rowsOf(second.direct),
      (rows) => rows.length === 1,
    )
    hide(false)
    const again = await until(() => heldAt(second.direct), Boolean)
    t.match(again, { stop_profit_enabled: false, profit_triggered: true, volume: 1_050 })
    await second.service.stop()
    t.match(await verdict(folder), /tables agree/, 'after it was found')
  },
)
