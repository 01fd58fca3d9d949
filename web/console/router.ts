import { createRouter, createWebHashHistory } from 'vue-router'
import { scrollBehavior } from '../shared/focus.ts'
import { takePrefs } from '../shared/prefs.ts'
import OverviewScreen from './screens/overview-screen.vue'

/** The screens, in the order of the navigation. `icon` is a path in a 24 × 24 box. */
export const SCREENS = [
  { name: 'overview', icon: 'M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-4H4zM14 8h6V4h-6z' },
  { name: 'positions', icon: 'M4 7h16v12H4zM9 7V4h6v3M4 12h16' },
  { name: 'orders', icon: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h3' },
  { name: 'trades', icon: 'M4 8h13l-3-3M20 16H7l3 3' },
  {
    name: 'watch',
    icon: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  },
  { name: 'earnings', icon: 'M4 19h16M7 16v-4M12 16V8M17 16V5' },
  { name: 'grid', icon: 'M4 5h16M4 10h16M4 15h16M4 20h16M8 5v15' },
  { name: 'exits', icon: 'M4 6l6 6 4-4 6 10M20 12v6h-6' },
  { name: 'risk', icon: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6z' },
  { name: 'reconcile', icon: 'M5 12l4 4L19 6M4 20h16' },
  { name: 'jobs', icon: 'M12 4v10M8 10l4 4 4-4M4 19h16' },
  { name: 'audit', icon: 'M5 4h10l4 4v12H5zM9 12h6M9 16h6' },
  { name: 'replay', icon: 'M5 5v5h5M5.500 14a7 7 0 1 0 1-6.500M12 8v4l3 2' },
  { name: 'latency', icon: 'M5 20a9 9 0 1 1 14 0M12 13l4-5M12 13h.01' },
  { name: 'settings', icon: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6' },
] as const

export const router = createRouter({
  history: createWebHashHistory(),
  scrollBehavior,
  routes: [
    { path: '/', alias: '/overview', name: 'overview', component: OverviewScreen },
    ...Object.entries({
      positions: () => import('./screens/positions-screen.vue'),
      orders: () => import('./screens/orders-screen.vue'),
      trades: () => import('./screens/trades-screen.vue'),
      watch: () => import('./screens/watch-screen.vue'),
      earnings: () => import('./screens/earnings-screen.vue'),
      grid: () => import('./screens/grid-screen.vue'),
      exits: () => import('./screens/exits-screen.vue'),
      risk: () => import('./screens/risk-screen.vue'),
      reconcile: () => import('./screens/reconcile-screen.vue'),
      jobs: () => import('./screens/jobs-screen.vue'),
      audit: () => import('./screens/audit-screen.vue'),
      replay: () => import('./screens/replay-screen.vue'),
      latency: () => import('./screens/latency-screen.vue'),
      settings: () => import('./screens/settings-screen.vue'),
    }).map(([name, component]) => ({ path: `/${name}`, name, component })),
    { path: '/:rest(.*)', redirect: '/' },
  ],
})

/** What a reader has chosen on the console of another account comes along once, and leaves the address. */
router.beforeEach(({ path, query: { look, ...query } }) => {
  if (typeof look !== 'string') return true
  takePrefs(look)
  return { path, query, replace: true }
})
