import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { TABLE } from '../../src/protocol/store.ts'
import { verifyAudit } from '../../src/service/audit/audit-command.ts'
import { openAccountReader } from '../../src/storage/account-reader.ts'
import { type Answer, get, type Json, post, until } from './fixture.ts'
import { begin, ORDER, v1 } from './fixtures/breakable.ts'

const ID = '10000001'
const NOTE = '按计划减仓\n🚀 (as planned)'

/** A service with at least so many fills. */
async function open(t: Test, folder: string, fills = 1) {
  const served = await begin(t, { ids: [ID], folder, isPatient: true })
  const [direct = ''] = served.direct
  const fillsOf = async (base: string, query = ''): Promise<readonly Json[]> =>
    (await get(`${base}/fills${query}`)).body['data']?.['fills'] as unknown as Json[]
  const known = (await fillsOf(`${direct}/api`)).length
  for (let n = known; n < fills; n += 1) {
    t.equal((await post(`${v1(served, ID)}/orders`, ORDER)).status, 201)
  }
  await until(
    () => fillsOf(`${direct}/api`),
    (rows) => rows.length >= fills,
  )
  const write = async (id: unknown, note: string | null, expected: string | null) => {
    const response = await fetch(`${direct}/api/fills/${String(id)}/note`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ note, expected }),
    })
    return { status: response.status, body: (await response.json()) as Json } as Answer
  }
  return { ...served, api: `${direct}/api`, account: v1(served, ID), fillsOf, write }
}

async function isSound(folder: string): Promise<boolean> {
  const options = { configFile: join(folder, 'steward.config.json') }
  const loaded = loadConfig({ cwd: folder, env: {}, options })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const config = { ...loaded.value.config, data_dir: join(folder, 'data') }
  const sound = await verifyAudit({ config, accountId: ID, write: () => {} })
  return sound.ok && sound.value
}

t.test(
  'a note is there for everybody, over a restart, and two do not overwrite each other',
  async (t) => {
    const folder = t.testdir()
    const first = await open(t, folder)
    const before = await get(`${first.api}/fills`)
    const tag = String(before.headers.get('etag'))
    const id = before.body['data']?.['fills']?.[0]?.['id']
    t.match(before.body, { data: { fills: [{ note: null }] } })

    t.match(await first.write(id, NOTE, null), { status: 200, body: { is_changed: true } })
    t.match(await first.write(id, NOTE, null), { status: 200, body: { is_changed: false } })
    const after = await fetch(`${first.api}/fills`, { headers: { 'If-None-Match': tag } })
    t.equal(after.status, 200, 'the answer is another one')
    for (const base of [first.api, first.account]) {
      t.match(await first.fillsOf(base), [{ id, note: NOTE }], base)
      t.match(await first.fillsOf(base, '?word=AS%20plan'), [{ id }], 'found by a word of it')
    }
    t.match((await get(`${first.api}/trade-records`)).body['data'], [{ id, note: NOTE }])
    t.match((await get(`${first.account}/trades`)).body['data'], { trades: [{ id, note: NOTE }] })

    t.match(await first.write(id, '另一台', null), {
      status: 409,
      body: { code: 'CONFLICT', details: { present: [NOTE] } },
    })
    t.match(await first.write(99_999, '没有', null), {
      status: 404,
      body: { code: 'UNKNOWN_FILL' },
    })
    t.match(await first.write(id, '字'.repeat(501), NOTE), {
      status: 400,
      body: { code: 'VALIDATION', details: { note: [/最多 500 个字符/] } },
    })
    const { body: audit } = await get(`${first.api}/audit?kind=fillNoted&limit=5`)
    t.match(audit['data'], {
      entries: [
        { kind: 'fillNoted', source: String, summary: /无 → “按计划减仓 🚀 \(as planned\)”/ },
      ],
    })
    await first.service.stop()
    t.ok(await isSound(folder), 'the journal explains the row')

    const second = await open(t, folder)
    t.match(await second.fillsOf(second.api), [{ id, note: NOTE }])
    t.match(await second.write(id, null, NOTE), { status: 200, body: { note: null } })
    t.match(await second.fillsOf(second.api), [{ id, note: null }])
    t.match(await second.write(id, '第三天', NOTE), {
      status: 409,
      body: { error: /已被删除/, details: { present: [] } },
    })
    await second.service.stop()
    t.ok(await isSound(folder))
  },
)

t.test('a simulated fill has a note like any other', async (t) => {
  const { api, fillsOf, write } = await open(t, t.testdir())
  await post(`${api}/config/save`, { simulationMode: true })
  await post(`${api}/actions/execute_buy`, {
    strategy: 'custom_stock',
    quantity: 1,
    stocks: ['600036'],
  })
  const [sim] = await until(
    () => fillsOf(api),
    (rows) => String(rows[0]?.['is_simulated']) === 'true',
  )
  t.equal((await write(sim?.['id'], '演练', null)).status, 200)
  t.match(await fillsOf(api), [{ is_simulated: true, note: '演练' }, { note: null }])
})

t.test('of two who write at once one is told of the other', async (t) => {
  const { api, fillsOf, write } = await open(t, t.testdir())
  const [fill] = await fillsOf(api)
  const answers = await Promise.all(
    ['甲', '乙', '丙', '丁'].map((note) => write(fill?.['id'], note, null)),
  )
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
})

t.test('no note stays behind when its record goes at the same moment', async (t) => {
  const folder = t.testdir()
  const { api, fillsOf, write, service } = await open(t, folder, 3)
  const ids = (await fillsOf(api)).map(({ id }) => id)
  const wrote = ids.flatMap((id) => [write(id, '之前', null)])
  const cleared = post(`${api}/data/clear_buysell`)
  const late = ids.map((id) => write(id, '之后', '之前'))
  const statuses = (await Promise.all([...wrote, ...late])).map(({ status }) => status)
  t.equal((await cleared).status, 200)
  for (const status of statuses) t.ok([200, 404, 409].includes(status), String(status))
  t.strictSame(await fillsOf(api), [])
  await service.stop()
  const reader = openAccountReader(join(folder, 'data'), ID)
  t.strictSame(reader.range({ table: TABLE.fillNotes, limit: 10 }), [])
  await reader.close()
  t.ok(await isSound(folder))
})
