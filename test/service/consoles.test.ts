import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { acquireRole } from '../../src/cluster/role-lock.ts'
import { freePort } from '../free-ports.ts'
import { account, get, serve } from './fixture.ts'

t.test(
  'the console of another process is where the configuration puts it, once it is there',
  async (t) => {
    const folder = t.testdir()
    const port = await freePort()
    const { service } = await serve(t, {
      folder,
      overrides: {
        accounts: [
          account('10000001', []),
          { ...account('10000002', []), alias: '进取' },
          account('10000003', []),
        ],
        direct: { base_port: port - 1 },
      },
      scope: { kind: 'direct', accountId: '10000002' },
    })
    const own = service.urls[0] ?? ''
    const data = join(folder, 'data')
    mkdirSync(join(data, '10000001'), { recursive: true })
    const other = await acquireRole(data, '10000001', 'direct')
    if (other.kind !== 'held') throw new Error('somebody has it')
    const rows = async () => (await get(`${own}/api/consoles`)).body['accounts']
    t.match(await rows(), [
      { account_id: '10000001', is_here: false, is_this: false, port: port - 1, overview: null },
      { account_id: '10000002', is_here: true, is_this: true, port, alias: '进取', fault: null },
      { account_id: '10000003', is_here: false, port: null },
    ])
    await other.release()
    t.match(await rows(), [{ account_id: '10000001', port: null }], 'nobody serves it any more')
  },
)
