import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { DriverName } from '../../../src/config/drivers.ts'
import { silentLogger } from '../../../src/observability/logger.ts'
import { Soundness } from '../../../src/service/data/soundness.ts'
import { get, serve, until } from '../fixture.ts'

const ID = '10000001'
const LIMITS = { readMs: 10_000, silenceMs: 60_000, looksAtOnce: 4 }

/** An account of the embedded client that has data, and what its kinds of drivers are refused with. */
async function traded(t: Test) {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const { gateway, service } = await serve(t, { folder })
  await until(
    () => get(`${gateway}/api/v1/accounts/${ID}/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  await service.stop()
  const refusalAt = (driver: DriverName) =>
    new Soundness({ dataDir, limits: LIMITS, log: silentLogger }).ofAccount({
      account_id: ID,
      driver,
    })
  return { folder, dataDir, refusalAt }
}

t.test(
  'F587 data of the embedded client are run at no real one, nor those of a real one at that',
  async (t) => {
    const { folder, dataDir, refusalAt } = await traded(t)
    t.match(await refusalAt('xt'), {
      code: 'ACCOUNT_PARKED',
      message:
        /模拟交易客户端的数据.*"xt".*data_dir.*移走.*the embedded trading client.*move that folder away/,
    })
    t.equal(await refusalAt('paper'), undefined)

    writeFileSync(join(dataDir, ID, 'trading-client'), 're')
    t.equal(await refusalAt('bigqmt'), undefined, 'without a note what is configured counts')
    t.equal(await refusalAt('xt'), undefined, 'by whatever way the broker is reached')
    t.match(await refusalAt('paper'), { message: /真实交易客户端的数据.*a real trading client/ })

    renameSync(join(dataDir, ID), join(folder, 'aside'))
    t.equal(await refusalAt('paper'), undefined, 'begun anew, as the refusal says')
    t.match(await refusalAt('xt'), undefined, 'and what has no data yet is of any kind')
  },
)

t.test('F927 a note that cannot be read now is not taken for none, and stays', async (t) => {
  const { dataDir, refusalAt } = await traded(t)
  const note = join(dataDir, ID, 'trading-client')
  const kept = readFileSync(note, 'utf8')
  rmSync(note)
  mkdirSync(note) // as a disk that does not read it, or a process that has no descriptor left
  const unread = await refusalAt('xt')
  t.match(unread, { code: 'STORE_FAILED' }, 'for now: it is looked at again')
  t.match(unread?.message, /trading-client.*EISDIR|trading-client.*EPERM/)
  t.match(await refusalAt('paper'), { code: 'STORE_FAILED' })

  rmSync(note, { recursive: true })
  writeFileSync(note, kept)
  t.match(await refusalAt('xt'), { code: 'ACCOUNT_PARKED' })
  t.equal(await refusalAt('paper'), undefined)
})
