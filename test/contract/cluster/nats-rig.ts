import type { Test } from 'tap'
import { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import { Kv } from '../../../src/cluster/nats/kv.ts'
import type { Line } from '../../../src/cluster/nats/line.ts'
import { CONTROL_BUCKET } from '../../../src/cluster/protocol/subjects.ts'
import {
  makeStreams,
  openLine,
  streamSettings,
  untilWritable,
} from '../../cluster/fixtures/nats-lines.ts'
import { natsServers } from '../../cluster/fixtures/nats-servers.ts'
import type { JournalClient, JournalRig } from './rig.ts'

const CALL_MS = 5_000

export const clientOf = (line: Line): JournalClient => ({
  journals: new JournalLog(line, { callTimeoutMs: CALL_MS }),
  control: new Kv(line, CONTROL_BUCKET),
})

/** Journals on nats-server: one of them, or a cluster of three. */
export async function natsRig(t: Test, count: 1 | 3): Promise<JournalRig> {
  const servers = await natsServers(t, { count })
  const urls = servers.map(({ url }) => url)
  await makeStreams(await openLine(t, urls), streamSettings(count))
  let opened = 0
  return {
    client: async () => {
      // Each begins at another server, as the nodes of a desk do.
      const at = opened++ % urls.length
      const line = await openLine(t, [...urls.slice(at), ...urls.slice(0, at)])
      await untilWritable(line)
      return clientOf(line)
    },
  }
}
