"""The words of the invented shop that make_shop.py makes: what it sells, where, and what it writes about.

Brands, people and places of business are invented. `RICH_VIDEOS` has the fields as a reader must hand them over.
"""

from __future__ import annotations

from typing import Any

SITE = "https://shop.example"
LANGUAGES = ("de", "en", "fr")


def rows(table: str) -> list[list[str]]:
    """The cells of a table written with a row a line and bars between cells."""
    return [line.split("|") for line in table.split("\n")]


# Department: names; brands; models; then one kind of product a line, in German, English and French.
SOLD = """\
Klettern|Climbing|Escalade
Gratwerk|Tarn & Fell|Corvus Alpine
Cima|Sella|Kanzel|Aiguille|Torre|Kamin|Fels|Verdon
Klettergurt|Climbing harness|Baudrier
Kletterseil|Climbing rope|Corde
Kletterschuh|Climbing shoe|Chausson
Karabiner|Carabiner|Mousqueton
Expressset|Quickdraws|Dégaines
Kletterhelm|Climbing helmet|Casque
Sicherungsgerät|Belay device|Assureur
Chalkbag|Chalk bag|Sac à magnésie
Klettersteigset|Via ferrata set|Longe
Eispickel|Ice axe|Piolet

Wandern|Hiking|Randonnée
Wegmar|Holm & Sohn|Sentier Bleu
Ridge|Vallon|Steig|Almen|Furka|Larix|Mistral|Kar
Wanderschuh|Hiking boot|Chaussure de marche
Trekkingrucksack|Trekking pack|Sac de trek
Tagesrucksack|Day pack|Sac à dos
Trekkingstock|Trekking pole|Bâton
Trinkflasche|Water bottle|Gourde
Gamaschen|Gaiters|Guêtres
Wandersocken|Hiking socks|Chaussettes
Kompass|Compass|Boussole
Stirnlampe|Headlamp|Lampe frontale
Regenhülle|Rain cover|Housse de pluie

Camping|Camping|Bivouac
Fjellro|Lagerfeuer Nord|Nuit Blanche
Polar|Lyng|Birke|Taiga|Kolibri|Nomad|Sund|Aurora
Zelt|Tent|Tente
Schlafsack|Sleeping bag|Sac de couchage
Isomatte|Sleeping mat|Matelas
Gaskocher|Gas stove|Réchaud
Topfset|Cook set|Popote
Hängematte|Hammock|Hamac
Packsack|Dry bag|Sac étanche
Laterne|Lantern|Lanterne
Campingstuhl|Camping chair|Chaise pliante
Wasserfilter|Water filter|Filtre à eau

Bekleidung|Clothing|Vêtements
Ullvar|Pluvia|Mont Serein
Skarv|Brise|Tinden|Gale|Merle|Foehn|Isar|Loden
Regenjacke|Rain jacket|Veste de pluie
Daunenjacke|Down jacket|Doudoune
Fleecejacke|Fleece jacket|Polaire
Softshellhose|Softshell trousers|Pantalon softshell
Wanderhose|Hiking trousers|Pantalon de marche
Merinoshirt|Merino shirt|T-shirt mérinos
Windjacke|Wind jacket|Coupe-vent
Mütze|Beanie|Bonnet
Handschuhe|Gloves|Gants
Unterwäsche|Base layer|Sous-vêtement

Winter|Winter|Hiver
Firnwerk|Silvaplan|Neve Alta
Corn|Harsch|Couloir|Pulver|Grat|Serac|Glacier|Arve
Tourenski|Touring ski|Ski de randonnée
Tourenbindung|Touring binding|Fixation
Schneeschuh|Snowshoe|Raquette
LVS-Gerät|Avalanche transceiver|DVA
Lawinenschaufel|Avalanche shovel|Pelle
Lawinensonde|Avalanche probe|Sonde
Steigfell|Climbing skin|Peau de phoque
Skibrille|Goggles|Masque
Steigeisen|Crampons|Crampons
Tourenstiefel|Touring boot|Chaussure de ski"""
DEPARTMENTS = [rows(block) for block in SOLD.split("\n\n")]
COLOURS = rows("""\
Moosgrün|moss green|vert mousse
Schiefer|slate|ardoise
Rost|rust|rouille
Gletscherblau|glacier|bleu""")
CITIES = rows("""\
Freiburg|Stuttgart|München|Nürnberg|Köln|Hamburg|Leipzig|Dresden|Innsbruck|Salzburg
Graz|Wien|Zürich|Bern|Basel|Strasbourg|Lyon|Grenoble|Annecy|Chambéry""")
REGIONS = rows("""\
Karwendel|Allgäu|Stubai|Ötztal|Zillertal|Dachstein|Silvretta|Rätikon|Montafon|Engadin|Wallis|Uri|Tessin
Vogesen|Schwarzwald|Harz|Rhön|Sauerland|Vercors|Écrins|Vanoise|Queyras|Jura|Ortler|Karnische Alpen""")
TOURS = ("Hüttentour", "Schneeschuhtour", "Klettersteige", "Trekking mit Kindern", "Skitouren", "Biwak")
HELP = rows("""\
versand|shipping|livraison
rueckgabe|returns|retours
zahlung|payment|paiement
kontakt|contact|contact
agb|terms|cgv
datenschutz|privacy|confidentialite
impressum|legal-notice|mentions-legales
gutschein|gift-card|carte-cadeau
newsletter|newsletter|newsletter
werkstatt|repairs|reparations
verleih|rental|location
garantie|warranty|garantie
ueber-uns|about-us|qui-sommes-nous
karriere|careers|emplois
presse|press|presse
nachhaltigkeit|sustainability|durabilite
vereinsrabatt|club-discount|remise-club
lieferzeiten|delivery-times|delais
bestellstatus|order-status|suivi
schuhanpassung|boot-fitting|bootfitting
skiservice|ski-service|entretien-skis
lawinenkurse|avalanche-courses|cours-dva
zweite-hand|second-hand|seconde-main
barrierefreiheit|accessibility|accessibilite
haendler|trade|professionnels""")
POSTS_DE = rows("""\
Vier Tage Karwendel mit neun Kilo|Was in den Rucksack kommt und was zu Hause bleibt.
Steigfelle richtig kleben|Warum Fönen schadet und ein kaltes Auto hilft.
Welcher Schlafsack für welche Nacht?|Komfortwert & Grenzwert, ohne Marketing erklärt.
Zelt flicken auf 2.300 Metern|Drei Reparaturen, die jeder mit Klebeband schafft.
LVS-Suche üben, jedes Jahr neu|Ein Ablauf für zwei Personen und einen Nachmittag.
Merinowolle waschen ohne Tränen|Kalt, kurz und nie mit Weichspüler.
Gaskocher bei Minusgraden|Butan friert ein, Isobutan später, Benzin nie.
Klettersteig C/D: bin ich so weit?|Ein ehrlicher Fragebogen von unserer Bergführerin.
Regenjacken nach fünf Jahren|Wir haben elf Jacken von Kunden nachgemessen.
Mit dem Zug zur Skitour|Sieben Ziele, die keine Autostunde brauchen.
Der erste Mehrseillängenweg|Standplatz, Kommandos und das Mittagessen.
Wanderschuhe neu besohlen|Wann es lohnt, was es kostet, wie lange es dauert.
Frühstück am Biwakplatz|Haferflocken, Kaffee und ein Deckel gegen den Wind.
Stöcke einstellen in einer Minute|Der Ellbogen weiß es besser als die Skala.
Lawinenbericht lesen|Von der Gefahrenstufe zum Kernproblem.
Hängematte im Wald: was erlaubt ist|Die Regeln in Baden, Tirol und im Elsass.
Daunen oder Kunstfaser|Die Antwort hängt am Regen, nicht am Preis.
Inventur: was 2025 zurückkam|Unsere Rückgaben in Zahlen, mit Gründen.""")
POSTS_EN = rows("""\
Winter camping for people who feel the cold|Two mats, one hot bottle and no heroics.
A hut-to-hut week in the Vanoise|Stages, bookings and the last bus back to Modane.
How we test rain jackets|Six hours under a hose on the loading dock.
Reading a topo without tears|Grades, bolts and the dotted line nobody explains.
Resoling approach shoes|What our cobbler in Annecy can and cannot save.
Packing light for the Tour of Queyras|The list, the scales and the things we sent home.
Snowshoes: size by weight, not by foot|Include the pack and the lunch in the sum.
The quiet side of the Vosges|Three loops that start at a railway station.
Wool, fleece or both?|Layering for a day that begins at minus ten.
Water filters compared|Flow after one litre and after one hundred.
Crampon fit in the shop and on the ice|Bring the boots, and stand on one leg.
Stoves and altitude|Why the coffee takes longer and what to do about it.
First aid kit, revised|What our guides used last year, item by item.
Ropes: when to retire them|A calendar, a log book and honest hands.
Travelling by night train with skis|Vienna to Zurich with two pairs & one pillow.
Children on via ferratas|Weight, lanyards and a second adult.
Goggles in flat light|Lens numbers that mean something.
Ten years of repairs|What 41,000 zips have taught us.""")

# Title, seconds, tags.
SHORT_VIDEOS = rows("""\
Steigfelle kürzen und kleben|412|Steigfell,Skitour
Das Zelt im Sturm aufbauen|305|Zelt,Camping
Rucksack richtig einstellen|188|Rucksack,Passform
Knoten für den Klettersteig|256|Klettersteig,Sicherheit
Besuch in der Schuhwerkstatt|540|Werkstatt,Reparatur
Kochen bei minus zwölf Grad|367|Kocher,Winter
LVS-Check am Parkplatz|149|LVS,Lawine""")
RICH_VIDEOS: tuple[dict[str, Any], ...] = (
    {
        "thumbnail_loc": f"{SITE}/film/haute-route.jpg",
        "title": "Haute Route: six days on skis",
        "description": "Two guides, one forecast & a very long traverse. Filmed between Chamonix and Zermatt.",
        "content_loc": f"{SITE}/film/haute-route.mp4",
        "player_loc": {"loc": f"{SITE}/film/player?v=haute-route&t=0", "allow_embed": True, "autoplay": "ap=1"},
        "duration": 2940,
        "expiration_date": "2027-12-31T00:00:00+00:00",
        "rating": 4.7,
        "view_count": 18342,
        "publication_date": "2026-01-15T17:00:00+00:00",
        "family_friendly": True,
        "tag": ["ski touring", "Haute Route", "glacier"],
        "category": "Mountain films",
        "restriction": {"relationship": "allow", "values": ["AT", "BE", "CH", "DE", "FR", "GB", "IT"]},
        "platform": {"relationship": "allow", "values": ["web", "mobile"]},
        "gallery_loc": {"loc": f"{SITE}/film/winter/", "title": "Winter films"},
        "price": [
            {"value": 3.99, "currency": "EUR", "type": "rent", "resolution": "sd"},
            {"value": 9.99, "currency": "EUR", "type": "own", "resolution": "hd"},
        ],
        "requires_subscription": False,
        "uploader": {"name": "Tarn & Fell Films", "info": f"{SITE}/en/brands/tarn-fell/"},
        "live": False,
        "id": [{"value": "4711", "type": "url"}],
    },
    {
        "thumbnail_loc": f"{SITE}/film/lawinenabend.jpg",
        "title": "Lawinenabend live aus Innsbruck",
        "description": "Vortrag und Fragen. Die Aufzeichnung bleibt drei Wochen abrufbar.",
        "player_loc": {"loc": f"{SITE}/film/live", "allow_embed": False},
        "publication_date": "2026-02-20T00:00:00+00:00",
        "family_friendly": True,
        "restriction": {"relationship": "deny", "values": ["US", "CA"]},
        "requires_subscription": True,
        "uploader": {"name": "Nordkamm"},
        "live": True,
    },
    {
        "thumbnail_loc": f"{SITE}/film/werkstatt-3.jpg",
        "title": "Die Werkstatt, Folge 3: Reißverschlüsse",
        "description": "Ein Schieber, zwei Zangen. Mehr braucht es nicht.",
        "content_loc": f"{SITE}/film/werkstatt-3.mp4",
        "duration": 1260,
        "rating": 5.0,
        "publication_date": "2025-11-03T08:30:00+00:00",
        "family_friendly": False,
        "content_segment_loc": [
            {"loc": f"{SITE}/film/werkstatt-3a.mp4", "duration": 600},
            {"loc": f"{SITE}/film/werkstatt-3b.mp4", "duration": 660},
        ],
        "tvshow": {
            "show_title": "Die Werkstatt",
            "video_type": "full",
            "episode_title": "Reißverschlüsse",
            "season_number": 1,
            "episode_number": 3,
            "premier_date": "2025-11-03T00:00:00+00:00",
        },
    },
)
# Title, language, genres, keywords, access, place.
NEWS = rows("""\
Nordkamm eröffnet Filiale in Chambéry|de|PressRelease|Filiale, Chambéry||Chambéry, Savoie, France
Rückruf: Karabiner Cima der Serie 2025-11|de|PressRelease|Rückruf, Karabiner, Sicherheit||
Tarn & Fell moves its sewing to Portugal|en|Blog, Opinion|supply chain, sewing|Registration|Porto, Portugal
Skitest 2026: die Ergebnisse|de|Blog|Ski, Test|Subscription|
Winter sale brings back the free ski service|en||sale, ski service||
Reparieren statt wegwerfen: 41.000 Reißverschlüsse|de|PressRelease, Blog|Reparatur||Freiburg, Baden-Württemberg, Germany
Night trains: we pay half of your ski ticket|en|PressRelease|night train, climate||
Neue Öffnungszeiten ab April|de||Filialen||""")
# What a field means, and how a document has it.
SPELLED = {
    "2027-12-31T00:00:00+00:00": "2027-12-31",
    "2026-01-15T17:00:00+00:00": "2026-01-15T18:00:00+01:00",
    "2026-02-20T00:00:00+00:00": "2026-02-20",
    "2025-11-03T00:00:00+00:00": "2025-11-03",
}
