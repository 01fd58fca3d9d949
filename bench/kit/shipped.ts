import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOCK = fileURLToPath(new URL('../../node_modules/.steward-setup.lock', import.meta.url))

interface Builds {
  readonly setUpBundles: (root: string, lock: string) => Promise<void>
}
interface Bundles {
  readonly useBundles: () => string | undefined
}

const script = (name: string) => import(new URL(`../../scripts/${name}`, import.meta.url).href)

/**
 * From here on the threads of this process start from what is shipped: the bundles that `bin/steward.mjs`
 * starts from, made anew when the sources have changed. Errors  throws when they cannot be made.
 */
export async function useShipped(): Promise<void> {
  const { setUpBundles } = (await script('setup-builds.mjs')) as Builds
  await setUpBundles(ROOT, LOCK)
  const { useBundles } = (await script('bundles.mjs')) as Bundles
  if (useBundles() === undefined) throw new Error('there are no bundles of these sources')
}
