import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../service/fixture.ts'
import { startBrowser, visit } from './pages.ts'

const browser = await startBrowser(t)
/** Everything but the status of a parked account is refused. */
const REFUSED = /503 \(Service Unavailable\)|404 \(Not Found\)/
const ALARM = /账户 10000002 已停用：.*已损坏.*steward restore/

t.test('a parked account says so, and shows no money that nobody knows', async (t) => {
  const folder = t.testdir()
  const database = join(folder, 'data', '10000002', 'db')
  mkdirSync(database, { recursive: true })
  writeFileSync(join(database, 'data.mdb'), Buffer.alloc(40_000, 'not a database '))
  const { gateway, direct } = await serve(t, { folder })

  const monitor = await visit(browser, gateway, { expected: REFUSED })
  const card = monitor.page.locator('article', { hasText: '0002' })
  await card.getByRole('alert').filter({ hasText: ALARM }).first().waitFor()
  t.match(await card.locator('dd').allTextContents(), ['--', '--', '--', '--', '--', '--'])
  await monitor.context.close()

  const desk = await visit(browser, direct[1] ?? '', { expected: REFUSED })
  await desk.page.getByRole('link').filter({ hasText: ALARM }).waitFor()
  const tiles = await desk.page.locator('.tile dd').allTextContents()
  t.strictSame(tiles.slice(0, 3), ['--今日盈亏 --', '--', '--'])
  await desk.context.close()
})
