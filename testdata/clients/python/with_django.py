"""Django's migrations, ORM and inspectdb, with models of its own and its contrib applications."""

import io
import pathlib
import sys
import types

import django
from django.conf import settings

from steps import HOST, PORT, SCHEMA, equal, run

sys.modules["fleet"] = types.ModuleType("fleet")
sys.modules["fleet"].__path__ = [str(pathlib.Path(__file__).parent / "fleet")]  # an application without files
settings.configure(
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "HOST": HOST, "PORT": PORT, "USER": "trireme", "NAME": "trireme",
        "OPTIONS": {"options": f"-c search_path={SCHEMA}"},
    }},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "fleet"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", USE_TZ=True, PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
)
import psycopg  # noqa: E402

with psycopg.connect(host=HOST, port=PORT, user="trireme", dbname="trireme", autocommit=True) as conn:
    conn.execute(f"CREATE SCHEMA {SCHEMA}")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from django.contrib.postgres.aggregates import JSONBAgg  # noqa: E402
from django.db.models import Count, F, Q, Sum  # noqa: E402
from django.db.models.fields.json import KT  # noqa: E402
from django.db.models.functions import Cast, JSONObject  # noqa: E402
from django.contrib.auth.models import Group, Permission, User  # noqa: E402


def model(title, **fields):
    meta = type("Meta", (), {"app_label": "fleet", **fields.pop("meta", {})})
    return type(title, (models.Model,), {"__module__": "fleet", "Meta": meta, **fields})


Port = model("Port", name=models.CharField(max_length=40, unique=True), depth=models.DecimalField(max_digits=6, decimal_places=2, null=True))
Ship = model(
    "Ship", name=models.CharField(max_length=40), home=models.ForeignKey(Port, models.CASCADE, related_name="ships"),
    crew=models.IntegerField(default=0), launched=models.DateField(null=True), seen=models.DateTimeField(null=True),
    active=models.BooleanField(default=True),
    meta={"unique_together": [("name", "home")], "indexes": [models.Index(fields=["crew"], name="ship_crew")],
          "constraints": [models.CheckConstraint(condition=Q(crew__gte=0), name="crew_positive")]},
)

Log = model("Log", port=models.ForeignKey(Port, models.CASCADE, null=True), doc=models.JSONField(default=dict), more=models.JSONField(null=True))


def migrate():
    call_command("migrate", verbosity=0)
    call_command("migrate", verbosity=0)
    equal(Permission.objects.count(), 20)


def schema():
    with connection.schema_editor() as editor:
        editor.create_model(Port)
        editor.create_model(Ship)
        editor.create_model(Log)
    flag = models.CharField(max_length=10, default="none")
    flag.set_attributes_from_name("flag")
    tutor = models.ForeignKey(Port, models.SET_NULL, null=True, related_name="+")
    tutor.set_attributes_from_name("next")
    longer = models.CharField(max_length=80)
    longer.set_attributes_from_name("name")
    for field in [flag, tutor, longer]:
        field.model = Ship
    with connection.schema_editor() as editor:
        editor.add_field(Ship, flag)
        editor.add_field(Ship, tutor)
        editor.alter_field(Ship, Ship._meta.get_field("name"), longer)
        editor.remove_field(Ship, flag)
        editor.remove_field(Ship, tutor)
        editor.add_index(Ship, models.Index(fields=["name", "crew"], name="ship_name_crew"))
        editor.remove_index(Ship, models.Index(fields=["name", "crew"], name="ship_name_crew"))
    names = {c.name for c in connection.introspection.get_table_description(connection.cursor(), "fleet_ship")}
    equal(names, {"id", "name", "home_id", "crew", "launched", "seen", "active"})


def crud():
    piraeus = Port.objects.create(name="Piraeus", depth="9.5")
    made = Ship.objects.bulk_create([Ship(name=f"ship {i}", home=piraeus, crew=i % 5) for i in range(50)])
    equal(len({s.pk for s in made}), 50)
    ship = Ship.objects.get(name="ship 7")
    equal((ship.crew, ship.home.name), (2, "Piraeus"))
    ship.crew = 9
    ship.save()
    equal(Ship.objects.filter(crew=9).update(crew=F("crew") + 1), 1)
    for s in made[:3]:
        s.crew = 100
    Ship.objects.bulk_update(made[:3], ["crew"])
    equal(Ship.objects.filter(crew=100).count(), 3)
    equal(Ship.objects.filter(pk__in=[s.pk for s in made[:5]]).delete()[0], 5)
    found, created = Port.objects.get_or_create(name="Delos")
    equal(created, True)
    equal(Port.objects.update_or_create(name="Delos", defaults={"depth": "3"})[1], False)
    Port.objects.bulk_create([Port(name="Delos"), Port(name="Aegina")], ignore_conflicts=True)
    equal(sorted(Port.objects.values_list("name", flat=True)), ["Aegina", "Delos", "Piraeus"])


def queries():
    equal(list(Port.objects.values("name").annotate(n=Count("ships"), crew=Sum("ships__crew")).order_by("name").values_list("name", "n", "crew")),
          [("Aegina", 0, None), ("Delos", 0, None), ("Piraeus", 45, Ship.objects.aggregate(c=Sum("crew"))["c"])])
    equal(Ship.objects.filter(Q(name__icontains="SHIP 1") | Q(name__startswith="ship 2"), home__name="Piraeus").exists(), True)
    equal(Port.objects.filter(ships__crew__gt=3).distinct().count(), 1)
    equal(Ship.objects.select_related("home").order_by("-id")[5:7].count(), 2)
    equal(sum(1 for _ in Ship.objects.all().iterator(chunk_size=10)), 45)
    equal(Ship.objects.values("crew").annotate(n=Count("id")).order_by("crew").first()["crew"], 0)


def documents():
    """JSONField: a column of type jsonb, with all of its lookups, transforms and functions."""
    port = Port.objects.create(name="Oreos")
    made = Log.objects.create(port=port, doc={"name": "Argo", "crew": {"size": 50, "tags": ["a", "b"]}, "empty": None}, more=[1, {"k": "v"}])
    Log.objects.bulk_create([Log(doc={"name": "Kerkuros", "crew": {"size": 7}}), Log(doc=["x", 1], more="text"), Log(doc={"50%": "a\\_b"}, more=5)])
    equal(Log.objects.get(pk=made.pk).doc["crew"], {"size": 50, "tags": ["a", "b"]})
    equal(Log.objects.select_related("port").get(pk=made.pk).more, [1, {"k": "v"}])
    named = Log.objects.values_list("doc__name", flat=True)
    equal(sorted(n for n in named if n), ["Argo", "Kerkuros"])
    equal(Log.objects.values("doc__crew__size").order_by("pk").first(), {"doc__crew__size": 50})
    for wanted, lookups in [
        (1, {"doc__name": "Argo"}), (1, {"doc__crew__size": 50}), (1, {"doc__crew__size__gt": 10}), (2, {"doc__crew__size__in": [7, 50]}),
        (1, {"doc__name__startswith": "Ar"}), (1, {"doc__name__icontains": "RGO"}), (1, {"doc__crew__tags__0": "a"}),
        (1, {"doc__contains": {"crew": {"size": 7}}}), (1, {"doc__contains": {"crew": {"tags": ["b"]}}}), (0, {"doc__contains": {"size": 7}}),
        (1, {"doc__contained_by": ["x", 1, 2]}), (2, {"doc__has_key": "crew"}), (1, {"doc__has_keys": ["crew", "empty"]}),
        (3, {"doc__has_any_keys": ["name", "50%"]}), (1, {"doc__crew__has_key": "tags"}), (1, {"doc__empty": None}),
        (3, {"doc__empty__isnull": True}), (1, {"more__isnull": True}), (1, {"doc": ["x", 1]}), (1, {"more": "text"}), (1, {"doc__contains": {"50%": "a\\_b"}}),
    ]:
        if (found := Log.objects.filter(**lookups).count()) != wanted:
            raise AssertionError(f"{lookups}: {found}, not {wanted}")
    equal(Log.objects.filter(more__isnull=False).exclude(doc__name="Argo").count(), 0)  # of the others the name is unknown
    Log.objects.filter(doc__name="Kerkuros").update(doc={"name": "Kerkuros", "crew": {"size": 8}}, more=None)
    equal(Log.objects.annotate(size=KT("doc__crew__size")).filter(size="8").get().more, None)
    equal(Log.objects.aggregate(sizes=Sum(Cast(KT("doc__crew__size"), models.IntegerField())))["sizes"], 58)
    made_of = Log.objects.filter(doc__has_key="name").annotate(o=JSONObject(n="doc__name", i="id")).order_by("id").values_list("o", flat=True)
    equal([o["n"] for o in made_of], ["Argo", "Kerkuros"])
    equal(Log.objects.filter(doc__has_key="name").aggregate(all=JSONBAgg("doc__name", ordering="-doc__name"))["all"], ["Kerkuros", "Argo"])
    equal([r["doc__name"] for r in Log.objects.filter(doc__has_key="name").order_by("doc__name").values("doc__name")], ["Argo", "Kerkuros"])
    out = io.StringIO()
    call_command("inspectdb", "fleet_log", stdout=out)
    equal("doc = models.JSONField()" in out.getvalue(), True)


def savepoints():
    before = Port.objects.count()
    with transaction.atomic():
        Port.objects.create(name="Samos")
        try:
            with transaction.atomic():
                Port.objects.create(name="Chios")
                Port.objects.create(name="Samos")
        except IntegrityError:
            pass
        with transaction.atomic():
            Port.objects.create(name="Lesbos")
    equal(Port.objects.count(), before + 2)


def auth():
    user = User.objects.create_user("phormio", "p@example.org", "naupactus")
    equal(user.check_password("naupactus"), True)
    group = Group.objects.create(name="admirals")
    user.groups.add(group)
    group.permissions.set(Permission.objects.filter(codename__startswith="add_"))
    equal(User.objects.get(username="phormio").has_perm("auth.add_user"), True)
    equal(User.objects.filter(groups__name="admirals").count(), 1)


def inspectdb():
    out = io.StringIO()
    call_command("inspectdb", "fleet_ship", "fleet_port", stdout=out)
    text = out.getvalue()
    for line in ["name = models.", "home = models.ForeignKey(", "crew = models.IntegerField(", "launched = models.DateField(",
                 "seen = models.DateTimeField(", "active = models.BooleanField("]:
        if line not in text:
            raise AssertionError(f"no {line} in\n{text}")


run("Django", django.get_version(), {
    "migrate": migrate, "schema": schema, "crud": crud, "queries": queries, "documents": documents, "savepoints": savepoints, "auth": auth, "inspectdb": inspectdb,
})
