import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Finding } from '../../../src/domain/finding.ts'
import { account, limits, market } from '../../../src/drivers/xt/config.ts'
import { examine } from '../../../src/drivers/xt/doctor.ts'
import { freePort } from '../../free-ports.ts'
import { startByHand } from './by-hand.ts'
import { ACCOUNT, XtRig } from './rig.ts'

/** What the doctor says of an account, and of a market, whose sidecar somebody starts by hand. */
async function said(dataDir: string, attach: { port: number; tokenFile: string }, path = dataDir) {
  const sidecar = { attach: String(attach.port), token_file: attach.tokenFile }
  const findings: Finding[] = []
  const setup = {
    dataDir,
    accounts: [
      {
        account_id: ACCOUNT,
        driver: 'xt',
        qmt_path: path,
        account_type: 'STOCK',
        call_timeout: 3,
        xt: account.parse(sidecar),
      },
    ],
    market: market.parse({ source: 'xt', ...sidecar }),
    limits: { xt: limits.parse({}), account: { connect_timeout_ms: 10_000, reconnect_turn_ms: 0 } },
  }
  await examine(setup, (found) => void findings.push(...found))
  return findings
}
const sidecars = (findings: readonly Finding[]) => findings.filter(({ name }) => name === 'sidecar')

t.test('F847 a sidecar that somebody should have started is missed by the doctor', async (t) => {
  const folder = t.testdir()
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, 'a secret')
  const away = { status: 'fail', text: /ECONNREFUSED/, mend: /bridge\.py/ }
  t.match(sidecars(await said(folder, { port: await freePort(), tokenFile })), [away, away])
  const { port } = await startByHand(t, folder)
  const stranger = { status: 'fail', text: /\(TOKEN\)/, mend: /token_file/ }
  t.match(sidecars(await said(folder, { port, tokenFile })), [stranger, stranger])
  const none = { status: 'fail', text: /ENOENT/, mend: /token_file/ }
  const missing = { port, tokenFile: join(folder, 'none') }
  t.match(sidecars(await said(folder, missing)), [none, none])
})

t.test('F847 one that is there is looked at, and stays with its service', async (t) => {
  const folder = t.testdir()
  const hand = await startByHand(t, folder)
  t.match(sidecars(await said(folder, hand))[0], { status: 'ok', text: /answers/ })
  const rig = await XtRig.open({ folder, attach: hand })
  t.teardown(() => rig.close())
  const client = await rig.host.open(0)
  t.match(sidecars(await said(folder, hand))[0], { status: 'ok', text: /answers/ })
  t.match(await client.call('query', { what: 'asset' }, 3_000), {
    ok: false,
    error: { code: 'NOT_CONNECTED' },
  })
})

t.test('F847 its terminal may be on another computer', async (t) => {
  const folder = t.testdir()
  const found = await said(folder, await startByHand(t, folder), 'D:\\QMT\\userdata_mini')
  t.match(found[0], { name: /qmt_path/, status: 'warn', text: /does not exist/, mend: /sidecar/ })
  t.notOk(found.some(({ status }) => status === 'fail'))
})
