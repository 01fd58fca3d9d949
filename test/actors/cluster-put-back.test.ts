import t, { type Test } from 'tap'
import type { ControlWatcher } from '../../src/cluster/node/engine.ts'
import type { Census } from '../../src/protocol/census.ts'
import { encode } from '../../src/protocol/codec.ts'
import { steadyMs } from '../../src/runtime/steady.ts'
import { uuid } from '../cluster/protocol/fixtures/values.ts'
import { ACCOUNT, actorOn } from './fixtures/cluster-actor.ts'

/** A gateway, what its watch is told with, and which life of a node a call to the account reached, or none. */
function watchingGateway(t: Test) {
  const watchers: ControlWatcher[] = []
  const asked: string[] = []
  const actor = actorOn(
    t,
    {
      watch: (given) => {
        watchers.push(given)
        return { reopen: () => undefined, close: () => undefined }
      },
      async request({ inc }) {
        asked.push(inc)
        return { is: 'reply', body: encode({ epoch: 3 }) }
      },
    },
    undefined,
    true,
  )
  const [watcher] = watchers
  if (watcher === undefined) throw new Error('nobody watches')
  const call = { kind: 'call', accountId: ACCOUNT, body: new Uint8Array(), isWrite: false } as const
  return {
    actor,
    watcher,
    show(inc: string, revision: number) {
      const node = {
        node: 'node-b',
        inc,
        host: 'there',
        state: 'up',
        ttlMs: 10_000,
        v: '1',
      } as const
      watcher.onNode(node, revision)
      const value = { node: 'node-b', inc, e: 3, seq: 1, state: 'active' } as const
      watcher.onPlacement(ACCOUNT, { value, revision: revision + 1 })
    },
    async askedOf() {
      asked.length = 0
      await actor.control(call, { deadlineMs: steadyMs() + 60_000 })
      return asked
    },
    async places() {
      const census = await actor.control({ kind: 'census' }, { deadlineMs: steadyMs() + 60_000 })
      return (census as Census).places.map(({ accountId, owner }) => `${accountId} ${owner}`)
    },
  }
}

t.test(
  'F763 a gateway goes by what a bucket that was put back shows, once its watch is opened anew',
  async (t) => {
    const [before, after] = [uuid(1), uuid(2)]
    const { watcher, show, askedOf, places } = watchingGateway(t)
    show(before, 100)
    watcher.onCurrent()
    t.strictSame(await askedOf(), [before])
    show(after, 50)
    t.strictSame(await askedOf(), [before], 'one watch tells nothing twice, nor backwards')
    watcher.onStalled()
    t.strictSame(await askedOf(), [before], 'while nothing is shown, the last that was counts')
    show(after, 50)
    watcher.onCurrent()
    t.strictSame(await askedOf(), [after])
    t.strictSame(await places(), [`${ACCOUNT} there`], 'of the node as well')
    watcher.onStalled()
    watcher.onCurrent()
    t.strictSame(await places(), [], 'what is not there any more is forgotten')
  },
)
