import type { DemoProduct } from './demo-product.ts';

const onDownload =
  'Open the link in a browser to download the files. It is yours alone and works for five downloads; keep a copy somewhere safe.';
const onLibrary =
  'Open the link, choose your reader (EPUB, PDF or Kindle) and the book is sent there or downloaded. It works for five downloads and carries no copy protection.';
const onCourse =
  'Open the link and choose a password. The course starts at once, on any device; everything you have watched is remembered.';
const onEsim =
  'On the phone open Settings, Mobile data, “Add eSIM”, choose to enter the details by hand and paste the line. Do this at home on Wi-Fi; the days start when the phone first meets a foreign network.';

/** Music, films, books, courses and files, most of them downloads. */
export const mediaProducts: readonly DemoProduct[] = [
  {
    slug: 'midnight-monsoon-album',
    name: 'Midnight Monsoon, Lossless Album',
    category: 'Music/Movies',
    description:
      'Eleven pieces for piano, gamelan and rain, recorded in one night on a veranda in Ipoh. FLAC in studio resolution and MP3 for the road, with the liner notes as a PDF.',
    priceCents: 990,
    deliveryInstructions: onDownload,
    warrantyDays: 14,
    stock: 46,
    keys: 'download-link',
    createdDaysAgo: 36,
    cover: { motif: 'sleeve', palette: 'abyss' },
  },
  {
    slug: 'the-last-ferry-film',
    name: 'The Last Ferry, 4K Film',
    category: 'Music/Movies',
    description:
      'A captain, a stowaway and the final crossing of a boat nobody needs any more. The restored film in 4K with subtitles in nine languages and the director’s commentary. 112 minutes.',
    priceCents: 1290,
    discount: { offCents: 400, endsInDays: 3 },
    deliveryInstructions: onDownload,
    warrantyDays: 14,
    stock: 29,
    keys: 'download-link',
    createdDaysAgo: 17,
    cover: { motif: 'poster', palette: 'ember' },
  },
  {
    slug: 'nasi-lemak-at-dawn',
    name: 'Nasi Lemak at Dawn: A Kitchen Diary',
    category: 'eBooks',
    description:
      'Seventy-two Malaysian recipes in the order of a day, from the first pot of rice to supper at the night market. Every dish is photographed, tested in a small kitchen and written for cooks without a wok.',
    priceCents: 1199,
    featured: true,
    deliveryInstructions: onLibrary,
    warrantyDays: 14,
    stock: 50,
    keys: 'download-link',
    createdDaysAgo: 40,
    cover: { motif: 'cookbook', palette: 'sand' },
  },
  {
    slug: 'the-cartographers-daughter',
    name: 'The Cartographer’s Daughter: A Novel',
    category: 'eBooks',
    description:
      'In 1824 a girl begins to draw the islands her father left off his maps, and the islands begin to be there. A novel of the Straits, by turns a sea story, a family quarrel and a forgery. 412 pages.',
    priceCents: 899,
    discount: { percent: 15 },
    deliveryInstructions: onLibrary,
    warrantyDays: 14,
    stock: 27,
    keys: 'download-link',
    createdDaysAgo: 55,
    cover: { motif: 'novel', palette: 'royal' },
  },
  {
    slug: 'watercolour-from-zero',
    name: 'Watercolour from Zero, Video Course',
    category: 'Courses',
    description:
      'Twenty-eight short lessons from the first wash to a finished street scene. You need three colours, one brush and a cup of water; the teacher looks at what you upload. Access without end.',
    priceCents: 3400,
    discount: { percent: 40, endsInDays: 5 },
    deliveryInstructions: onCourse,
    warrantyDays: 30,
    stock: 38,
    keys: 'download-link',
    createdDaysAgo: 27,
    cover: { motif: 'watercolour', palette: 'rose' },
  },
  {
    slug: 'data-analysis-with-python',
    name: 'Data Analysis with Python, Video Course',
    category: 'Courses',
    description:
      'Learn to ask a table the right question. Nine hours of video, sixty exercises on real public data and a project you can show, from the first line of Python to a chart that convinces.',
    priceCents: 4900,
    featured: true,
    deliveryInstructions: onCourse,
    warrantyDays: 30,
    stock: 42,
    keys: 'download-link',
    createdDaysAgo: 12,
    cover: { motif: 'chart', palette: 'slate' },
  },
  {
    slug: 'tropic-icon-set',
    name: 'Tropic Icon Set, 480 Icons',
    category: 'Other',
    description:
      'Four hundred and eighty icons on one grid, in three weights, as SVG and as a font. Free to use in as many projects as you like, commercial ones included. New icons are added every spring.',
    priceCents: 1900,
    deliveryInstructions: onDownload,
    warrantyDays: 14,
    stock: 55,
    keys: 'download-link',
    createdDaysAgo: 50,
    cover: { motif: 'iconSheet', palette: 'mint' },
  },
  {
    slug: 'south-east-asia-esim-10-gb',
    name: 'South-East Asia eSIM, 10 GB',
    category: 'Other Digital',
    description:
      'Ten gigabytes for thirty days in Malaysia, Singapore, Thailand, Indonesia and Vietnam, on the strongest network of each. Your own number stays switched on. Arrives before you do.',
    priceCents: 1800,
    featured: true,
    deliveryInstructions: onEsim,
    warrantyDays: 30,
    stock: 47,
    keys: 'esim',
    createdDaysAgo: 25,
    cover: { motif: 'signal', palette: 'abyss' },
  },
  {
    slug: 'desk-tidy-print-files',
    name: 'Desk Tidy System, 3D Print Files',
    category: 'Other Digital',
    description:
      'Thirty-one parts that click together into the drawer you always wanted, from cable combs to a pen rack. STL and STEP files, made to print without supports on any printer of 20 cm.',
    priceCents: 790,
    deliveryInstructions: onDownload,
    warrantyDays: 14,
    stock: 20,
    keys: 'download-link',
    createdDaysAgo: 114,
    cover: { motif: 'blocks', palette: 'sand' },
  },
];
