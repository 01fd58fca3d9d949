import t from 'tap'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { shardOf } from '../../../src/cluster/protocol/subjects.ts'
import type { LogFields, Logger } from '../../../src/observability/logger.ts'
import { makeStreams, openLine, streamSettings } from '../../cluster/fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../../cluster/fixtures/nats-servers.ts'
import { account, get, post, serve, until } from '../fixture.ts'
import { HELD, ID, RESTING } from '../fixtures/cluster.ts'

const KIB = 1_024
const PIECE_BYTES = 64 * KIB
/** Less than any record of an account. */
const CRUMB_BYTES = 64
const CALL_MS = 5_000

/** Another account, whose journal lies in the same stream. */
function neighbor(): string {
  for (let count = 0; ; count++) {
    if (shardOf(`other${count}`) === shardOf(ID)) return `other${count}`
  }
}

t.test(
  'F380 servers without room are named, with what to do, and orders go again when there is some',
  { skip: NO_SERVERS },
  async (t) => {
    const said: { readonly fields: LogFields; readonly message: string }[] = []
    const quiet = () => undefined
    const error = (fields: LogFields, message: string) => void said.push({ fields, message })
    const log: Logger = { debug: quiet, info: quiet, warn: quiet, error, child: () => log }
    const urls = (await natsServers(t, { count: 1 })).map(({ url }) => url)
    const line = await openLine(t, urls)
    const streams = { journalBytesMax: 1_024 * KIB, recordBytesMax: 512 * KIB }
    await makeStreams(line, streamSettings(1, streams))
    const { gateway } = await serve(t, {
      log,
      overrides: {
        accounts: [{ ...account(ID, [HELD]), eligible: ['node-a'] }],
        cluster: { node: 'node-a', servers: urls, replicas: 1 },
      },
    })
    const order = (price: number, key = `at-${price}`) => {
      const to = `${gateway}/api/v1/accounts/${ID}/orders`
      return post(to, { ...RESTING, price }, { 'Idempotency-Key': key })
    }
    const healthy = async () => (await get(`${gateway}/api/v1/health`)).body['data']
    await until(
      () => order(32),
      ({ status }) => status === 201,
    )
    t.match(await healthy(), { total: 1, healthy: 1 })
    const journals = new JournalLog(line, { callTimeoutMs: CALL_MS })
    const other = neighbor()
    let last = 0
    for (let piece = Buffer.alloc(PIECE_BYTES); piece.length > CRUMB_BYTES; ) {
      const to = { expectedSeq: last, timeoutMs: CALL_MS }
      const seq = await journals.append(other, piece, to).catch(() => undefined)
      if (seq === undefined) piece = piece.subarray(piece.length / 2)
      else last = seq
    }
    t.not((await order(32.1)).status, 201)
    const alerts = () => said.filter(({ fields }) => fields['alert'] === 'cluster_full')
    await until(
      async () => alerts(),
      ({ length }) => length > 0,
    )
    // By then it was tried many times.
    await until(
      () => order(32.15),
      ({ body }) => String(body['code']) === 'NOT_CONNECTED',
    )
    t.match(await healthy(), { total: 1, healthy: 0 }, 'F495 nor is a stop sent')
    t.match(alerts(), [{ message: /max_bytes/ }])
    t.equal(alerts().length, 1, 'once, however often it is tried')
    await journals.purge(other, last)
    await until(
      () => order(32.2),
      ({ status }) => status === 201,
    )
  },
)
