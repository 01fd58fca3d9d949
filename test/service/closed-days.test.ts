import { join } from 'node:path'
import t from 'tap'
import { giveClosedDays } from '../../src/market/closed-days.ts'
import { get, post, serve, until } from './fixture.ts'
import { at, day, record } from './fixtures/days.ts'
import { replaying } from './fixtures/play.ts'

t.teardown(() => giveClosedDays([]))

t.test('F902 an account rests on a day that the configuration calls closed', async (t) => {
  const isInSession = async (name: string, closedDays: readonly string[]) => {
    const folder = join(t.testdir({ open: {}, closed: {} }), name)
    const { file } = record(join(folder, 'days.ndjson'))
    const overrides = { ...replaying(file), closed_days: closedDays }
    const { direct, service } = await serve(t, { folder, overrides })
    const [url] = direct
    await post(`${url}/api/replay/play`, { until: at(day(0), '10:30:00') })
    await until(
      () => get(`${url}/api/replay/status`),
      ({ body }) => String(body['state']) === 'paused',
    )
    const { body } = await get(`${url}/api/kill-switch`)
    await service.stop()
    return body['is_in_session']
  }
  t.equal(await isInSession('open', []), true)
  t.equal(await isInSession('closed', [day(0)]), false)
})
