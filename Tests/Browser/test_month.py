"""A month of a family: three people, two browsers and a shell, with everything that a household does. At the end all devices are equal."""

from app import DESKTOP, PHONE, comparable
from test_accounts import on_another_device, sign_out_others
from test_aisles import is_whole, knowing, renames
from test_household_link import opens_link
from test_imports import RECIPE
from test_newlist import FROM, begins, invites, link_for, makes


def are_whole(*apps):
    for app in apps:
        is_whole(app)


def test_a_month_of_a_family_ends_equal_on_all_devices(app, command_line, service):
    shell = command_line.run

    def shown(name):
        shell("sync")
        return comparable(shell("show", "--list", name))

    def equal(name, *apps):
        for one in apps:
            one.settled()
        apps[0].until_(lambda: f"the same: {[one.state() for one in apps]} {shown(name)}",
                       lambda: all(one.state() == shown(name) for one in apps))

    # Anna writes down what she needs, and asks who she is only when she wants to share it.
    anna = app(**PHONE).open()
    anna.fill("need", "Milk, 2 l")
    anna.page.click(".panel button:has-text('Start a list')")
    anna.sees("Milk").open()
    anna.page.click(".icon-button[aria-label=Account]")
    anna.sign_up("Anna")
    anna.settled().open_list("Shopping").sees("Milk")
    link = opens_link(anna, 3)
    anna.page.keyboard.press("Escape")
    ben = app(**DESKTOP).join(link, "Ben").sees("Milk")
    shell("sign-up", service.address, "--email", f"carol-{anna.email}", "--name", "Carol")
    shell("join", service.address + link)

    # They plan: a line, a recipe, a thing that comes back every two weeks, and an aisle by the name that it has in their shop.
    knowing(anna).add("Bread", "Butter, 250 g")
    ben.paste(RECIPE).page.wait_for_selector("dialog fieldset.lines")
    ben.page.click("dialog button.primary:has-text('Add 2 item')")
    ben.page.wait_for_selector("dialog", state="detached")
    shell("add", "Coffee, 500 g", "--every", "14d")
    equal("Shopping", anna, ben)
    ben.edit("Milk", aisle="Dairy")
    equal("Shopping", anna, ben)
    renames(anna, Dairy="Fridge").page.click("dialog .actions .primary")
    anna.until_("it is renamed", lambda: ["Fridge"] * 2 == [item["fields"].get("aisle") for item in anna.state()["items"] if item["text"] in ("Milk", "Butter")])
    equal("Shopping", anna, ben)
    are_whole(anna, ben)

    # Anna shops without a signal, Carol in another shop at the same time, and Ben adds at home.
    anna.installed().shop().cable.cut()
    anna.check("Milk").check("Bread")
    shell("off", "Coffee")
    shell("off", "Bread")
    ben.add("Chocolate")
    anna.reload().until_("it is all there without a network", lambda: anna.row("Milk").locator(".check").get_attribute("aria-checked") == "true")
    anna.cable.mend()
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.settled()
    anna.until_("Ben's chocolate waits", lambda: "Chocolate" in anna.page.locator(".notice").inner_text())
    anna.page.click(".notice button")
    for text in ("Chocolate", "Butter", "onions", "tinned tomatoes"):
        anna.check(text)
    anna.until_("all is done", lambda: "All 7 done" in anna.page.inner_text(".finish"))
    are_whole(anna)
    anna.page.click(".finish button:has-text('Plan')")
    equal("Shopping", anna, ben)
    for device in (anna, ben):
        assert all(item["markedOff"] for item in device.state()["items"])

    # The next week begins with the last one's things; somebody takes a slip back.
    begins(ben, "The usual").page.select_option(FROM, anna.list)
    ben.page.wait_for_selector("dialog fieldset.lines label")
    ben.page.locator("dialog .lines label:has-text('Chocolate') input").uncheck()
    makes(ben, "The usual")
    ben.until_("six things", lambda: len(ben.texts) == 6)
    ben.row("Butter").locator(".more").click()
    ben.until_("another amount", lambda: "300 g" in ben.row("Butter").inner_text())
    ben.page.click("[aria-label^='Undo']")
    ben.until_("as it was", lambda: "250 g" in ben.row("Butter").inner_text())
    ben.settled()

    # A party with a guest, which is over soon.
    guest = app(**PHONE).newcomer("Dan")
    makes(invites(begins(ben, "Party"), guest.email), "Party")
    invitation = link_for(ben, guest.email)
    ben.page.keyboard.press("Escape")
    ben.add("Crisps", "Lemonade, 6")
    guest.open(invitation).page.click(".invitation .primary")
    guest.sees("Crisps", "Lemonade").check("Crisps").settled()
    ben.until_("Dan has them", lambda: ben.row("Crisps").locator(".check").get_attribute("aria-checked") == "true")
    ben.in_step_with(guest)
    ben.menu("List settings", "Put into the archive")
    ben.page.wait_for_selector(".archive, .new-list")
    are_whole(ben, guest)

    # Weeks later, the service has compressed what is over. Anna has a new phone, and signs the lost one out.
    service.operate("compress", "--older-than", "0s")
    ben.open_list("Shopping")
    phone = on_another_device(app, anna)
    sign_out_others(phone)
    anna.until_("the lost phone has nothing", lambda: anna.page.locator(".row, .card").count() == 0)
    knowing(phone.open_list("Shopping")).add("Milk, 1 l")
    ben.until_("wanted again", lambda: any(item["text"] == "Milk" and not item["markedOff"] for item in ben.state()["items"]))
    equal("Shopping", phone, ben)
    state = phone.state()
    assert [item["fields"]["aisle"] for item in state["items"] if item["text"] == "Milk" and not item["markedOff"]] == ["Fridge"]
    digests = [one.evaluate("async (device, list) => (await device.open(list)).handle.digest()", phone.list) for one in (phone, ben)]
    assert digests[0]["confirmed"] == digests[1]["confirmed"] == digests[0]["shown"]
    phone.reload().until_("after a reload, too", lambda: phone.state() == state)
    are_whole(phone, ben)
