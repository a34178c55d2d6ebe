/// Groceries of households, by aisle; written for this project.
enum Groceries {
    static let all = aisles.split(separator: "\n").flatMap { $0.split(separator: ":")[1].split(separator: ",") }.map {
        String($0.drop { $0 == " " })
    }

    private static let aisles = """
        fruit: apples, bananas, pears, oranges, lemons, limes, grapes, strawberries, raspberries, blueberries, a melon, \
        plums, peaches, kiwis, a pineapple, satsumas, avocados, rhubarb, cherries, figs
        vegetables: carrots, potatoes, sweet potatoes, onions, red onions, garlic, leeks, broccoli, a cauliflower, peas, \
        green beans, spinach, kale, lettuce, rocket, tomatoes, cherry tomatoes, a cucumber, peppers, courgettes, an aubergine, \
        mushrooms, celery, fennel, beetroot, radishes, spring onions, ginger, chillies, sweetcorn, parsnips, a swede, a pumpkin
        herbs: basil, parsley, coriander, mint, thyme, rosemary, chives, dill
        dairy: semi-skimmed milk, whole milk, oat milk, butter, margarine, cheddar, mozzarella, feta, parmesan, cream cheese, \
        goat's cheese, natural yoghurt, Greek yoghurt, single cream, double cream, crème fraîche, eggs, custard
        bakery: wholemeal bread, white bread, rye bread, rolls, bagels, pitta, tortillas, croissants, crumpets, scones
        meat and fish: chicken breasts, a whole chicken, mince, sausages, bacon, ham, steak, lamb chops, pork shoulder, \
        salmon, cod, tuna, prawns, mackerel, fish fingers, tofu, falafel
        dry: spaghetti, penne, lasagne sheets, noodles, basmati rice, risotto rice, couscous, quinoa, red lentils, chickpeas, \
        kidney beans, plain flour, self-raising flour, sugar, brown sugar, icing sugar, baking powder, yeast, porridge oats, \
        muesli, cornflakes, raisins, almonds, walnuts, peanuts, sunflower seeds, breadcrumbs
        tins and jars: chopped tomatoes, tomato purée, coconut milk, baked beans, tinned tuna, sardines, olives, capers, \
        gherkins, pesto, mustard, ketchup, mayonnaise, soy sauce, vinegar, olive oil, sunflower oil, honey, jam, marmalade, \
        peanut butter, stock cubes, gravy granules
        spices: salt, black pepper, cumin, paprika, turmeric, cinnamon, nutmeg, curry powder, oregano, bay leaves, vanilla
        frozen: frozen peas, frozen spinach, oven chips, ice cream, frozen berries, pizza, puff pastry
        drinks: tea, coffee, decaf coffee, orange juice, apple juice, sparkling water, lemonade, cola, beer, red wine, \
        white wine, squash, cocoa
        treats: dark chocolate, biscuits, crisps, popcorn, crackers, a cake, liquorice
        household: washing-up liquid, washing powder, fabric softener, bin bags, sponges, kitchen roll, toilet paper, tissues, \
        foil, cling film, baking paper, bleach, dishwasher tablets, light bulbs, batteries, candles, matches
        bathroom: toothpaste, toothbrushes, soap, shampoo, conditioner, shower gel, deodorant, plasters, cotton wool, razors, \
        sun cream, hand cream
        pets and babies: cat food, dog food, cat litter, bird seed, nappies, baby wipes, formula
        """
}
