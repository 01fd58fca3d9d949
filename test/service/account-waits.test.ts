import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { LogFields } from '../../src/observability/logger.ts'
import { get, serve, until } from './fixture.ts'

const [FIRST, SECOND] = ['10000001', '10000002'] as const

t.test('an account whose folder cannot be used waits alone, and goes on when it can', async (t) => {
  const said: LogFields[] = []
  const quiet = () => undefined
  const note = (fields: LogFields) => void said.push(fields)
  const log = { debug: quiet, info: quiet, warn: note, error: note, child: () => log }
  const folder = t.testdir()
  const place = join(folder, 'data', FIRST)
  mkdirSync(join(folder, 'data'))
  writeFileSync(place, 'no folder')
  const overrides = { limits: { cluster: { seek_again_ms: 10 } } }
  const { gateway, service } = await serve(t, { folder, overrides, log })
  const status = (id: string) => get(`${gateway}/api/v1/accounts/${id}/status`)
  const isReady = ({ body }: Awaited<ReturnType<typeof get>>) =>
    String(body['data']?.['ready']) === 'true'
  await until(() => status(SECOND), isReady)
  const { body } = await get(`${gateway}/api/v1/accounts/${FIRST}/positions`)
  t.match(JSON.stringify(body), /EEXIST|ENOTDIR/, 'whoever asks is told what it waits for')
  t.match(service.accounts.find(FIRST), { problem: /EEXIST|ENOTDIR/ })
  const waits = said.filter(({ account, reason }) => account === FIRST && reason !== undefined)
  t.equal(waits.length, 1, 'it is said once, however often it is tried')
  rmSync(place)
  await until(() => status(FIRST), isReady)
  t.match(service.accounts.find(FIRST), { problem: null })
})
