import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import type { Finding } from '../../../src/domain/finding.ts'
import { examine } from '../../../src/drivers/gateway/doctor.ts'

const CHINESE = /[\u4e00-\u9fff]/

/** What the doctor says of an account, and of quotes, at a gateway that answers everything with this. */
async function findingsAt(t: Test, status: number, body: object): Promise<readonly Finding[]> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const folder = t.testdir()
  const file = join(folder, 'desk.token')
  writeFileSync(file, 'secret')
  chmodSync(file, 0o644)
  const url = `http://127.0.0.1:${Reflect.get(Object(server.address()), 'port')}`
  const gateway = { url, token_file: file }
  const config = {
    accounts: [{ account_id: '10000001', qmt_path: '-', driver: 'gateway', gateway }],
    market: { source: 'gateway', url, token_file: join(folder, 'none.token') },
  }
  writeFileSync(join(folder, 'steward.config.json'), JSON.stringify(config))
  const loaded = loadConfig({ cwd: folder, env: {}, options: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { accounts, market, limits } = loaded.value.config
  const found: Finding[] = []
  await examine({ accounts, market, limits } as never, (each) => void found.push(...each))
  return found
}

t.test(
  'F479 what is wrong at another gateway is said in Chinese first, and then in English',
  async (t) => {
    const data = { connected: false, simulation_mode: true }
    for (const found of [
      await findingsAt(t, 401, { message: '令牌无效 (the token is not good)' }),
      await findingsAt(t, 200, { success: true, data }),
    ]) {
      t.ok(found.length > 3)
      for (const { name, status, text, mend } of found) {
        if (status !== 'ok') t.match(text, /[\u4e00-\u9fff].*[a-z]/, `${name}: ${text}`)
        if (mend !== undefined && !mend.startsWith('chmod '))
          t.match(mend, CHINESE, `${name}: ${mend}`)
      }
    }
  },
)
