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

t.test(
  'F735 the candidates are read from a file that an editor of Windows saved as Unicode',
  async (t) => {
    const folder = t.testdir()
    const save = (accountId: string, bytes: Buffer) => {
      const place = join(folder, 'data', accountId)
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, 'stock2buy.json'), bytes)
    }
    const little = Buffer.from('\uFEFF["600519"]\r\n', 'utf16le')
    save('10000001', little)
    save('10000002', Buffer.from(little).swap16())
    const { direct } = await serve(t, { folder })
    for (const url of direct.slice(0, 2)) {
      const { body } = await get(`${url}/api/stock_pool/list`)
      t.match(body, { data: ['600519'] })
    }
  },
)
