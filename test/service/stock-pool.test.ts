import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { get, serve } from './fixture.ts'

t.test(
  'F711 the candidates are read from a file that an editor of Windows has marked',
  async (t) => {
    const folder = t.testdir()
    const place = join(folder, 'data', '10000001')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'stock2buy.json'), '\uFEFF["600519"]\r\n')
    const { direct } = await serve(t, { folder })
    const { body } = await get(`${direct[0]}/api/stock_pool/list`)
    t.match(body, { data: ['600519'] })
  },
)
