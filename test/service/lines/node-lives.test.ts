import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { StoreControl } from '../../../src/protocol/store.ts'
import { beginLife, type NodeLivesDeps } from '../../../src/service/lines/node-lives.ts'

const quiet = { warn: () => undefined }

/** The process-wide records of one disk. */
function disk(rows = new Map<string, Uint8Array>()) {
  const records = async (request: StoreControl) => {
    if (request.kind === 'get') return rows.get(request.key) ?? null
    if (request.kind === 'put' && request.value !== null) rows.set(request.key, request.value)
    return null
  }
  return {
    records: records as NodeLivesDeps['records'],
    log: quiet,
    copy: () => disk(new Map(rows)),
  }
}

t.test('a life is on the disk before anybody hears of it, and the next one knows it', async (t) => {
  const here = disk()
  t.equal(await beginLife('one', here), undefined)
  t.strictSame(await beginLife('two', here), ['one'])
  t.strictSame(await beginLife('three', here), ['one', 'two'])
})

t.test('F449 a copy of the disk in another computer knows no life', async (t) => {
  const here = { ...disk(), adapters: ['00:50:56:aa:00:01'] }
  await beginLife('one', here)
  const copy = { ...here.copy(), adapters: ['00:50:56:bb:00:02'] }
  t.strictSame(await beginLife('two', copy), [])
  t.strictSame(await beginLife('three', copy), ['two'])
})

t.test('an adapter that every computer with VMware has makes none of them the same', async (t) => {
  const everywhere = '00:50:56:c0:00:08'
  const here = { ...disk(), adapters: ['3c:7c:3f:00:00:01', everywhere] }
  await beginLife('one', here)
  const copy = { ...here.copy(), adapters: ['3c:7c:3f:00:00:02', everywhere] }
  t.strictSame(await beginLife('two', copy), [])
  t.strictSame(await beginLife('two', here), ['one'])
})

t.test('a container, which has no other adapter, begins at once with the same one', async (t) => {
  const here = { ...disk(), adapters: ['02:42:ac:11:00:02'] }
  await beginLife('one', here)
  t.strictSame(await beginLife('two', here), ['one'])
})

t.test('a disk that takes or tells nothing stops no node', async (t) => {
  const refused = new ServiceError('DISK_FULL', 'no room')
  const here = disk()
  await beginLife('one', here)
  const isFull: NodeLivesDeps = {
    log: quiet,
    records: (request) => {
      const { kind }: StoreControl = request
      return kind === 'put' ? Promise.reject(refused) : here.records(request)
    },
  }
  t.strictSame(await beginLife('two', isFull), ['one'])
  const isDamaged: NodeLivesDeps = { log: quiet, records: () => Promise.reject(refused) }
  t.strictSame(await beginLife('three', isDamaged), [], 'it waits for the silence of any other')
})
