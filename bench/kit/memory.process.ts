import { setTimeout as delay } from 'node:timers/promises'
import { account, newFolder, removeFolder, serve, settings } from './service.ts'

/** For the first reports to be worked off and the heaps to settle. */
const SETTLE_MS = 1_500

const [accounts = 1, positions = 0] = process.argv.slice(2).map(Number)
const folder = newFolder()
const list = Array.from({ length: accounts }, (_, index) => account(index, positions))
const { service } = await serve(folder, settings(folder, list))
await delay(SETTLE_MS)
globalThis.gc?.()
process.send?.(process.memoryUsage.rss())
await service.stop()
removeFolder(folder)
process.disconnect()
