import t from 'tap'
import { startPeers, stepPeers } from '../../../src/cluster/protocol/peers.ts'
import type { NodeRecord } from '../../../src/cluster/protocol/records.ts'
import { type RoomState, startRoom, stepRoom } from '../../../src/cluster/protocol/room.ts'
import { DEFAULT_TIMING } from '../../../src/cluster/protocol/timing.ts'
import { at, nodeOf, uuid } from './fixtures/values.ts'

const OTHER = nodeOf({ node: 'n2', inc: uuid(2) })
const { roomMs, roomAgainMs, renewMs } = DEFAULT_TIMING

/** A node whose disk has no room, and what it sees of another; everybody renews all the time. */
class Held {
  #state: RoomState = startRoom()
  #peers = startPeers('n1', DEFAULT_TIMING)
  #revision = 0
  /** When it gave the account up, ms. */
  readonly gaveUp: number[] = []
  isOurs = true
  lacksRoom = true
  eligible: readonly string[] = ['n1', 'n2']
  other: NodeRecord | undefined = OTHER

  pass(fromMs: number, untilMs: number): this {
    for (let ms = fromMs; ms < untilMs; ms += renewMs) {
      const { isOurs, lacksRoom, eligible, other } = this
      if (other !== undefined) {
        this.#revision += 1
        const sighting = { is: 'sighting', record: other, revision: this.#revision } as const
        this.#peers = stepPeers(this.#peers, sighting, at(ms)).state
      }
      const view = { isOurs, lacksRoom, eligible, peers: this.#peers }
      const stepped = stepRoom(this.#state, view, { timing: DEFAULT_TIMING, now: at(ms) })
      this.#state = stepped.state
      if (stepped.givesUp) this.gaveUp.push(ms)
    }
    return this
  }
}

t.test(
  'F463 an account without room is left to a node that has had room for a while',
  async (t) => {
    t.strictSame(new Held().pass(0, roomMs).gaveUp, [])
    t.strictSame(new Held().pass(0, roomMs + renewMs).gaveUp, [roomMs])
  },
)

t.test('F463 it stays where no other node would do any better', async (t) => {
  const others = [
    ['full, too', { other: { ...OTHER, isFull: true } }],
    ['draining', { other: { ...OTHER, state: 'draining' } }],
    ['fenced', { other: { ...OTHER, state: 'fenced' } }],
    ['not there', { other: undefined }],
    ['not eligible', { eligible: ['n1'] }],
    ['not ours', { isOurs: false }],
    ['room here', { lacksRoom: false }],
  ] as const
  for (const [name, fields] of others) {
    t.strictSame(Object.assign(new Held(), fields).pass(0, 10 * roomMs).gaveUp, [], name)
  }
})

t.test('F463 nothing is left to a node that has gone silent', async (t) => {
  const held = new Held().pass(0, roomMs / 2)
  held.other = undefined
  t.strictSame(held.pass(roomMs / 2, 10 * roomMs).gaveUp, [])
})

t.test('F463 a note that comes and goes begins the wait anew', async (t) => {
  const held = new Held()
  for (let round = 0; round < 20; round++) {
    const fromMs = round * roomMs
    held.lacksRoom = true
    held.pass(fromMs, fromMs + roomMs / 2)
    held.lacksRoom = round % 2 === 0
    held.other = round % 2 === 0 ? { ...OTHER, isFull: true } : OTHER
    held.pass(fromMs + roomMs / 2, fromMs + roomMs)
    held.other = OTHER
  }
  t.strictSame(held.gaveUp, [])
})

t.test('F463 an account that comes back is not given up again soon', async (t) => {
  const { gaveUp } = new Held().pass(0, roomAgainMs + 3 * roomMs)
  t.strictSame(gaveUp, [roomMs, roomMs + roomAgainMs])
})
